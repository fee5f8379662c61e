/** DeerFlow's way of writing the sandbox section, put into ours. */

type Mapping = Readonly<Record<string, unknown>>;

/** Settings that DeerFlow writes beside each other and that have a place of their own here. */
const MOVED = ["image", "container_prefix", "api_key"] as const;

interface ProviderRow {
  /** Python class, whatever module it lies in. */
  readonly python: string;
  /** How the section says the same here. */
  written(section: Mapping): { readonly provider: string; readonly mode?: string };
}

/** What the names of DeerFlow's providers mean here. Its other providers have no counterpart. */
const PROVIDERS: readonly ProviderRow[] = [
  {
    // Without allow_host_bash it has no shell at all, so that a sandbox that works is more and not less.
    python: "LocalSandboxProvider",
    written: ({ allow_host_bash: allowed }) => ({ provider: allowed === true ? "local" : "auto" }),
  },
  { python: "AioSandboxProvider", written: () => ({ provider: "docker", mode: "aio" }) },
];

const isMapping = (value: unknown): value is Mapping =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * The sandbox section with DeerFlow's names replaced; what is written in our names wins. Pure.
 * @returns also one sentence for each thing that was read differently than it is written
 */
export function readDeerflowSandbox(section: unknown): { section: unknown; warnings: readonly string[] } {
  if (!isMapping(section)) return { section, warnings: [] };
  const moved = MOVED.filter((name) => name in section);
  const rest = Object.entries(section).filter(
    ([name]) => name !== "use" && !moved.some((each) => each === name),
  );
  const use = typeof section["use"] === "string" ? section["use"] : undefined;
  const row = PROVIDERS.find(({ python }) => use?.endsWith(`:${python}`));
  const { provider, mode } = row?.written(section) ?? {};
  const docker = {
    ...(mode === undefined ? {} : { mode }),
    ...Object.fromEntries(moved.map((name) => [name, section[name]])),
    ...(isMapping(section["docker"]) ? section["docker"] : {}),
  };
  return {
    section: {
      ...(provider === undefined ? {} : { provider }),
      ...Object.fromEntries(rest),
      ...(Object.keys(docker).length === 0 ? {} : { docker }),
    },
    warnings: [...useWarnings("use" in section, use, provider)],
  };
}

function useWarnings(
  isThere: boolean,
  use: string | undefined,
  provider: string | undefined,
): readonly string[] {
  if (!isThere) return [];
  if (provider !== undefined) return [`sandbox.use: ${use} is read as sandbox.provider: ${provider}.`];
  return ["sandbox.use has no effect: no provider here has that name; sandbox.provider chooses one."];
}
