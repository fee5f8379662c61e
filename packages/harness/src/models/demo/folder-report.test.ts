import { describe, expect, it } from "vitest";
import { type FolderFindings, folderReport, languagesOf, surveyFile } from "./folder-report.js";
import { folderOf } from "./folder-task.js";
import { parseFilePage } from "./tool-results.js";

const survey = (path: string, text: string) => surveyFile(path, parseFilePage(text));

describe("surveyFile", () => {
  it("counts Markdown outside of code blocks", () => {
    const text = "# One\n```\n# no\n[no](x)\n```\n## Two ##\n![image](a.png) [link](b)\n~~~\n# no\n~~~\n";
    expect(survey("/a.md", text)).toEqual({
      path: "/a.md",
      lines: 10,
      words: 16,
      headings: ["One", "Two"],
      links: 1,
      partial: false,
    });
  });

  it("sees no headings in other files", () => {
    expect(survey("/a.py", "# comment\n")).toMatchObject({ headings: [], links: 0, lines: 1 });
  });

  it("says when only a part was read", () => {
    const cut = "a\n[Cut at 2 characters: lines 1 to 1 of 7. Go on with start_line=2.]";
    expect(survey("/a.txt", cut)).toMatchObject({ lines: 7, partial: true });
  });
});

describe("folderReport", () => {
  it("admits what was not read", () => {
    const found: FolderFindings = {
      flavour: "code",
      folder: "/x",
      files: ["/x/a.ts", "/x/b.ts", "/x/c.ts"],
      filesCut: true,
      surveys: [survey("/x/a.ts", "1\n2\n")],
      unreadable: [{ path: "/x/b.ts", problem: "could not be read" }],
      others: ["/x/d.csv"],
      todos: { hits: [{ path: "/x/a.ts", line: 2, text: "TODO <b>" }], cut: true },
    };
    const report = folderReport(found);
    expect(report).toContain("1 file with 2 lines, at least 1 note of open work");
    expect(report).toContain("There are more files than the search for them shows.");
    expect(report).toContain("1 further file was not read.");
    expect(report).toContain("/x/b.ts could not be read.");
    expect(report).toContain("I left 1 other file alone: d.csv.");
    expect(report).toContain("- a.ts, line 2: TODO \\<b\\>");
  });

  it("adds languages up, most lines first", () => {
    expect(languagesOf([survey("/a.py", "1\n"), survey("/b.ts", "1\n2\n"), survey("/c.tsx", "1\n")])).toEqual(
      [
        { language: "TypeScript", files: 2, lines: 3 },
        { language: "Python", files: 1, lines: 1 },
      ],
    );
  });
});

describe("folderOf", () => {
  it("finds the deepest folder that holds all files", () => {
    expect(folderOf(["/a/b/c/x.md", "/a/b/y.md"])).toBe("/a/b");
    expect(folderOf(["/a/b/x.md", "/a/bc/y.md"])).toBe("/a");
    expect(folderOf(["/a/x.md"])).toBe("/a");
  });
});
