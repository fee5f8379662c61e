import { describe, expect, it } from "vitest";
import { nothingSwitchedText, noServerText } from "./database.js";

describe("where no server was found", () => {
  it("says that none runs when the lock of a file tells so", () => {
    expect(noServerText(undefined)).toBe("No server runs");
    expect(nothingSwitchedText(undefined, "/new.db")).toBe(
      "No server runs, so nothing was switched. /new.db can be used.\n",
    );
  });

  it("says only where it looked when nothing but an address could be asked", () => {
    const asked = "http://127.0.0.1:2026";
    expect(noServerText(asked)).toBe(`No server was found at ${asked}; name it with --server`);
    const text = nothingSwitchedText(asked, "/new.db");
    expect(text).toContain(`No server was found at ${asked}; name it with --server if one runs`);
    expect(text).not.toContain("No server runs");
  });
});
