import { expect } from "vitest";
import { DeerflowError } from "../base/errors.js";

/** What the work is refused with, which must not tell where on the host the files lie; fails when it is not refused. */
export async function refusalOf(work: Promise<unknown>, host: string): Promise<DeerflowError> {
  const thrown: unknown = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!DeerflowError.is(thrown)) throw new Error(`expected a refusal, got ${String(thrown)}`);
  expect(JSON.stringify({ ...thrown, sentence: thrown.sentence })).not.toContain(host);
  return thrown;
}
