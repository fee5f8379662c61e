/** What the texts of a program in another language are taken for. None is ever run. */
import { describe, expect, it } from "vitest";
import { programFacts } from "./program-text.js";

describe("programFacts", () => {
  it("takes the arguments of calls, and leaves other texts and comments alone", () => {
    const { removed, commands, written } = programFacts(
      "# run it\nimport shutil\nshutil.rmtree('build')\nx = a.split('/')\nopen('o', 'w').write('/etc/x')\n",
      "python3",
    );
    expect({ removed, commands, written }).toEqual({ removed: ["build"], commands: [], written: ["o"] });
  });

  it.each([
    ["python3", "d = '/'\nshutil.rmtree(d)"],
    ["python3", "def f(p):\n  shutil.rmtree(p)\nf('/')"],
    ["python3", "f = shutil.rmtree\nf('/')"],
    ["python3", "getattr(shutil, 'rmtree')('/')"],
    ["node", "['/'].forEach((d) => fs.rmSync(d))"],
    ["ruby", "FileUtils.rm_rf '/'"],
    ["perl", "remove_tree(qw(/ x))"],
  ])("finds by %s what a variable, a parameter or an alias stands for: %j", (interpreter, code) => {
    expect(programFacts(code, interpreter).removed).toContain("/");
  });

  it.each([
    ["python3", "d='/'; os.system('rm -rf ' + d)"],
    ["python3", "d='/'; os.system(f'rm -rf {d}')"],
    ["node", 'const d="/"; require("child_process").execSync(`rm -rf ${d}`)'],
    ["perl", '$d="/"; system "rm -rf $d"'],
    ["php", '$d="/"; system("rm -rf ".$d);'],
    ["ruby", "`rm -rf /`"],
  ])("puts commands of %s together: %j", (interpreter, code) => {
    expect(programFacts(code, interpreter).commands).toContain("rm -rf /");
  });

  it("takes a template of JavaScript for a text", () => {
    expect(programFacts("fs.writeFileSync('a.md', `sudo reboot`)", "node").commands).toEqual([]);
  });

  it("reads ten thousand characters of anything in little time", () => {
    const began = performance.now();
    for (const unit of ["system(", "rmtree(", "Path(a).open(", "a=b;", "`${a}", "/[", "[a].map(a=>", "a = "])
      for (const interpreter of ["python3", "node", "perl"])
        programFacts(unit.repeat(10_000 / unit.length), interpreter);
    expect(performance.now() - began).toBeLessThan(20_000);
  });
});
