/** Prints one plain closing line: `N passed, N failed, N skipped`. */
import type { Reporter, TestModule } from "vitest/node";

export default class CountReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const count = { passed: 0, failed: unhandledErrors.length, skipped: 0 };
    for (const module of modules) {
      const tests = [...module.children.allTests()];
      for (const test of tests) {
        const { state } = test.result();
        if (state === "passed" || state === "failed" || state === "skipped") count[state] += 1;
      }
      // A file that could not even be collected has no tests, yet it is a failure.
      if (module.state() === "failed" && !tests.some((test) => test.result().state === "failed"))
        count.failed += 1;
    }
    const line = `${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`;
    process.stdout.write(`\n${line}\n`);
  }
}
