import { expect, it } from "vitest";
import { hiddenValues } from "./hidden-values.js";
import { maskPaths } from "./path-mask.js";

const shown = (name: string, value: string) => maskPaths(hiddenValues({ [name]: value }), `-${value}-`);

it.each([
  ["API_KEY", "abcd"],
  ["GITHUB_TOKEN", "production"],
  ["DB_PASSWORD", "hunter2"],
  ["DATABASE_URL", "postgres://me:pw12@db.example.com/app"],
  ["OPENAI", "sk-proj-4f9a8b7c6d5e4f3a2b1c"],
  ["ANYTHING", "AKIAIOSFODNN7EXAMPLE"],
])("hides the secret %s=%s", (name, value) => {
  expect(shown(name, value)).toBe(`-[redacted ${name}]-`);
});

it.each([
  ["MODE", "production"],
  ["CI", "true"],
  ["PORT", "8080"],
  ["W", "work"],
  ["MODEL_PATH", "/opt/models/llama-3-8b-instruct-q4"],
  ["SERVICE_URL", "https://api.example.com/v1/items"],
  ["SERVICE_HOST", "api-2.internal.example.com:8443"],
])("shows the ordinary %s=%s", (name, value) => {
  expect(shown(name, value)).toBe(`-${value}-`);
});

it("hides whatever a command was given as a secret", () => {
  expect(maskPaths(hiddenValues({}, { MODE: "production" }), "production")).toBe("[redacted MODE]");
});
