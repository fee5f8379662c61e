/** Programs that run another one behind a word of their own: `docker exec`, `npm exec`, `uv run`. One row a kind. */
import type { Field } from "./values.js";

interface Runner {
  readonly programs: RegExp;
  /** The word behind which the command stands; absent where it is the first. */
  readonly word?: RegExp;
  /** Operands between that word and the command. */
  readonly operands: number;
  /** Options that take the next word. */
  readonly withValue: RegExp;
  /** It runs in a container or on another machine: only the rules of a person are held against it. */
  readonly isElsewhere?: true;
  /** It may be a program of a package with the same name. */
  readonly isGuess?: true;
}

const NO_OPTION = /^$/;
const CONTAINER =
  /^(-[veplwuhm]|--(volume|env|env-file|publish|workdir|user|name|network|net|mount|entrypoint|hostname|platform|memory|cpus|label|gpus|shm-size|add-host|restart|pull|ulimit|device|cap-add|cap-drop|tmpfs|security-opt|ipc|pid|detach-keys|index))$/;

const RUNNERS: readonly Runner[] = [
  {
    programs: /^(npx|pnpx|bunx|uvx)$/,
    operands: 0,
    withValue: /^(-[pcw]|--(package|call|from|with|workspace))$/,
    isGuess: true,
  },
  { programs: /^(fd|fdfind)$/, word: /^(-x|-X|--exec|--exec-batch)$/, operands: 0, withValue: NO_OPTION },
  {
    programs: /^(docker|podman|nerdctl|docker-compose|podman-compose)$/,
    word: /^(exec|run|create)$/,
    operands: 1,
    withValue: CONTAINER,
    isElsewhere: true,
  },
  {
    programs: /^(kubectl|oc|k3s|microk8s)$/,
    word: /^--$/,
    operands: 0,
    withValue: NO_OPTION,
    isElsewhere: true,
  },
  {
    programs: /^(npm|pnpm|yarn)$/,
    word: /^(exec|x)$/,
    operands: 0,
    withValue: /^(-p|--package|-w|--workspace)$/,
  },
  { programs: /^(pnpm|yarn)$/, word: /^dlx$/, operands: 0, withValue: /^(-p|--package)$/, isGuess: true },
  { programs: /^bun$/, word: /^x$/, operands: 0, withValue: NO_OPTION, isGuess: true },
  {
    programs: /^(uv|poetry|pipenv|pdm|hatch|rye|conda|mamba|micromamba|dotenv)$/,
    word: /^run$/,
    operands: 0,
    withValue:
      /^(-[npf]|--(name|prefix|cwd|with|with-requirements|python|extra|group|env-file|project|directory|package))$/,
  },
  { programs: /^(bundle|rbenv|pyenv|asdf)$/, word: /^exec$/, operands: 0, withValue: NO_OPTION },
  { programs: /^direnv$/, word: /^exec$/, operands: 1, withValue: NO_OPTION },
  {
    programs: /^(dotenv|dotenvx|op|doppler|infisical|mise|aws-vault|chamber|nix)$/,
    word: /^--$/,
    operands: 0,
    withValue: NO_OPTION,
  },
  { programs: /^perf$/, word: /^(stat|record|trace)$/, operands: 0, withValue: /^-[eoFprCGt]$/ },
  { programs: /^gdb$/, word: /^--args$/, operands: 0, withValue: NO_OPTION },
  {
    programs: /^tmux$/,
    word: /^(new|new-session|neww|new-window|splitw|split-window|respawn-\w+|popup|display-popup|run|run-shell)$/,
    operands: 0,
    withValue: /^-[sncxyteFlbhw]$/,
  },
];

/** The command behind the word, as a runner runs it. */
export interface RunnerCommand {
  readonly command: readonly Field[];
  readonly isElsewhere: boolean;
  readonly isGuess: boolean;
}

/** What the runners of this name run. Pure. */
export function runnerCommands(name: string, fields: readonly Field[]): readonly RunnerCommand[] {
  return RUNNERS.filter(({ programs }) => programs.test(name)).flatMap((runner) => {
    const { word: pattern } = runner;
    const word = pattern === undefined ? -1 : fields.findIndex(({ text }) => pattern.test(text));
    // Behind `--` all is another's, and a file may have the name of the word.
    const first = fields.findIndex(({ text }) => text === "--");
    if (pattern !== undefined && (word < 0 || (first >= 0 && word > first))) return [];
    let at = word + 1;
    for (let operands = 0; at < fields.length; at += 1) {
      const { text = "" } = fields[at] ?? {};
      if (text === "--") continue;
      if (runner.withValue.test(text)) at += 1;
      else if (!text.startsWith("-") && (operands += 1) > runner.operands) break;
    }
    const command = fields.slice(at);
    const isElsewhere = runner.isElsewhere === true;
    return command.length === 0 ? [] : [{ command, isElsewhere, isGuess: runner.isGuess === true }];
  });
}
