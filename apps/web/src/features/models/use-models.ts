/** The models one can choose, and the one that is chosen. */
import type { Model } from "@deerflow/protocol";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useServices } from "../../lib/services.js";
import { remember, remembered } from "../../lib/storage.js";

export interface ModelChoice {
  readonly models: readonly Model[];
  /** Undefined until the list is there. */
  readonly chosen: Model | undefined;
  choose(name: string): void;
}

/** True where a script plays the model. */
export const isDemo = (model: Model | undefined): boolean => model?.source === "demo";

export function useModels(): ModelChoice {
  const { client } = useServices();
  const { data } = useQuery({ queryKey: ["models"], queryFn: () => client.models(), staleTime: 60_000 });
  const [name, setName] = useState(() => remembered("model"));
  const models = data?.models ?? [];
  return {
    models,
    chosen: models.find((model) => model.name === name) ?? models[0],
    choose: (next) => {
      remember("model", next);
      setName(next);
    },
  };
}
