import { describe, expect, it } from "vitest";
import { contentDisposition, presentationOf } from "./content-type.js";

describe("presentationOf", () => {
  it.each(["a.html", "a.HTM", "a.xhtml", "a.svg", "a.xml", "a.unknown", "a"])(
    "never shows %s on our origin",
    (name) => {
      expect(presentationOf(name).inline).toBe(false);
    },
  );

  it.each(["a.js", "a.mjs", "a.ts", "a.css", "a.py"])("shows %s as text, not as a program", (name) => {
    expect(presentationOf(name)).toEqual({ contentType: "text/plain; charset=utf-8", inline: true });
  });
});

it("writes names beyond ASCII in both forms", () => {
  expect(contentDisposition("attachment", 'é"%.txt')).toBe(
    `attachment; filename="___.txt"; filename*=UTF-8''%C3%A9%22%25.txt`,
  );
});
