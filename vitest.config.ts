/** Two projects: `unit` (no service, no network, fast) and `integration` (processes, databases, browser). */
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const resolve = { conditions: ["deerflow-source", "node", "import", "default"] };
// Without "import": each is handed to Node for its `require` as well, which then gets the wrong half of packages that have two.
const ssr = { resolve: { conditions: ["deerflow-source", "node"] } };
const reporter = fileURLToPath(new URL("tools/count-reporter.ts", import.meta.url));

export default defineConfig({
  test: {
    reporters: ["default", reporter],
    maxWorkers: 2,
    projects: [
      {
        resolve,
        ssr,
        test: {
          name: "unit",
          // Files share their modules: loading the libraries anew for each took most of the time.
          isolate: false,
          include: ["{packages,apps}/*/src/**/*.test.{ts,tsx}", "tools/**/*.test.ts"],
          exclude: ["**/*.int.test.ts", "**/node_modules/**", "**/dist/**"],
        },
      },
      {
        resolve,
        ssr,
        test: {
          name: "integration",
          include: ["{packages,apps}/*/src/**/*.int.test.ts", "tests/**/*.int.test.ts"],
          exclude: ["**/node_modules/**", "**/dist/**"],
          globals: true,
          // A busy machine may take longer than the second that is the default.
          expect: { poll: { timeout: 20_000 } },
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
