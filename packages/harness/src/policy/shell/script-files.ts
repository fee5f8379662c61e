/** Files that hold several scripts, of which a command runs some: makefiles and package files. */
import { HOLE, type Text } from "./values.js";

interface Rule {
  readonly targets: readonly string[];
  readonly needs: readonly string[];
  readonly recipes: readonly string[];
}

/** What makes it unclear which recipes are run: then all are. */
const UNCLEAR = /^\s*-?s?include\b|^\s*define\b|\$\((?:eval|call|shell|foreach)\b|\$[({]MAKE\b|^\.DEFAULT/m;

/**
 * The recipes of a makefile that are run for the targets, and for what these need; without targets, for the first.
 * A pattern or a variable may be any name.
 */
export function recipesOf({ text, origin }: Text, targets: readonly string[]): readonly Text[] {
  if (text.startsWith(HOLE)) return [{ text, origin }];
  const rules = rulesOf(text.replaceAll("\\\n", " "));
  const run = UNCLEAR.test(text)
    ? rules
    : neededRules(
        rules,
        targets.filter((word) => !word.includes("=")),
      );
  return run
    .flatMap(({ recipes }) => recipes)
    .map((recipe) => ({ text: recipe.replaceAll("$$", "$"), origin }));
}

function rulesOf(text: string): readonly Rule[] {
  const rules: { targets: string[]; needs: string[]; recipes: string[] }[] = [];
  for (const line of text.split("\n")) {
    const [, recipe] = /^\t\s*[@+-]*\s*([^]*)$/.exec(line) ?? [];
    const [, targets, needs = "", inline] =
      /^([^#\t:=][^:=]*?)\s*:{1,2}(?!=)([^;]*)(?:;\s*([^]*))?$/.exec(line) ?? [];
    if (recipe !== undefined) {
      // A recipe without a rule in sight belongs to any.
      if (rules.length === 0) rules.push({ targets: ["%"], needs: [], recipes: [] });
      rules.at(-1)?.recipes.push(recipe);
    } else if (targets !== undefined) {
      rules.push({ targets: wordsOf(targets), needs: wordsOf(needs), recipes: inline ? [inline] : [] });
    }
  }
  return rules;
}

const wordsOf = (text: string): string[] => text.split(/[\s|]+/).filter((word) => word !== "");

function neededRules(rules: readonly Rule[], targets: readonly string[]): readonly Rule[] {
  const first = rules.find(({ targets: [name = ""] }) => !/^\.[A-Z_]+$/.test(name));
  const wanted = new Set(targets.length > 0 ? targets : (first?.targets ?? []));
  const run = new Set<Rule>();
  for (const name of wanted) {
    for (const rule of rules) {
      if (run.has(rule) || !rule.targets.some((target) => mayBe(target, name))) continue;
      run.add(rule);
      for (const need of rule.needs) wanted.add(need);
    }
  }
  return [...run];
}

const mayBe = (target: string, name: string): boolean =>
  target === name || /[%$*?[\]]/.test(target) || /[$*?[\]]|^.*%/.test(name) || name.includes(HOLE);

/** Words that are no names of scripts. */
const INSTALLS =
  /^(i|install|ci|add|it|install-test|clean-install|pack|publish|version|rebuild|link|update|up)$/;
const AROUND_INSTALLATION =
  /^(pre|post)?(install|prepare|pack|publish|publishOnly|version|uninstall|build)$|^dependencies$/;
const SHORT: Readonly<Record<string, string>> = { t: "test", tst: "test" };

/** Says of each script of a package file whether these arguments of npm and its brothers run it. */
export function scriptsRunBy(words: readonly string[]): (script: string) => boolean {
  const given = words.filter((word) => !word.startsWith("-")).map((word) => SHORT[word] ?? word);
  const installs = given.length === 0 || given.some((word) => INSTALLS.test(word));
  return (script) =>
    words.some((word) => word.includes(HOLE)) ||
    given.some((word) => [word, `pre${word}`, `post${word}`].includes(script)) ||
    (given.includes("restart") && /^(pre|post)?(stop|start)$/.test(script)) ||
    (installs && AROUND_INSTALLATION.test(script));
}
