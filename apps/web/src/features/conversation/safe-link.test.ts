import { describe, expect, it } from "vitest";
import { safeLink } from "./safe-link.js";

describe("safeLink", () => {
  it.each(["https://example.org/a?b=1", "http://127.0.0.1:1/", "mailto:a@example.org"])(
    "lets %s through",
    (href) => {
      expect(safeLink(href)).toBe(href);
    },
  );

  it.each([
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    " javascript:alert(1)",
    "data:text/html,<script>",
    "vbscript:x",
    "file:///etc/passwd",
    "blob:https://a/1",
    "/api/threads",
    "//example.org",
    "",
    undefined,
  ])("refuses %s", (href) => expect(safeLink(href)).toBeUndefined());
});
