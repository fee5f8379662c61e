/** Ways to write a command otherwise, of which some run it and some do not. None of the results is ever run. */

export interface Rewriting {
  readonly name: string;
  /** Undefined for a command that does not fit into it. */
  change(command: string): string | undefined;
}

export const single = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
export const double = (text: string): string => `"${text.replaceAll(/["\\$`]/g, String.raw`\$&`)}"`;

const only = (fits: boolean, text: () => string): string | undefined => (fits ? text() : undefined);
const row = (name: string, change: Rewriting["change"]): Rewriting => ({ name, change });

/** Without quotes, lines and backslashes: such a command fits where a program takes it apart once more. */
const isFlat = (command: string): boolean => !/['"\\\n]/.test(command);

/** A command that runs all the same. */
export const WRAPPINGS: readonly Rewriting[] = [
  row("in brackets", (c) => `( ${c}\n)`),
  row("in braces", (c) => `{ ${c}\n}`),
  row("negated", (c) => `! { ${c}\n}`),
  row("as a coprocess", (c) => `coproc { ${c}\n}`),
  row("for sh in single quotes", (c) => `sh -c ${single(c)}`),
  row("for bash in double quotes", (c) => `bash -c ${double(c)}`),
  row("for a login shell", (c) => `bash -lc ${single(c)}`),
  row("for a shell in a shell", (c) => `sh -c ${single(`sh -c ${single(c)}`)}`),
  row("for the shell of busybox", (c) => `busybox sh -c ${single(c)}`),
  row("behind env", (c) => `/usr/bin/env A=b bash -c ${single(c)}`),
  row("behind nohup", (c) => `nohup sh -c ${single(c)} &`),
  row("behind timeout", (c) => `timeout -s KILL 9 sh -c ${double(c)}`),
  row("behind nice", (c) => `nice -n 5 bash -c ${single(c)}`),
  row("behind time", (c) => `time bash -c ${single(c)}`),
  row("behind sudo", (c) => `sudo -u x bash -c ${single(c)}`),
  row("behind stdbuf", (c) => `stdbuf -oL sh -c ${single(c)}`),
  row("behind setsid", (c) => `setsid -f sh -c ${single(c)}`),
  row("behind command", (c) => `command bash -c ${single(c)}`),
  row("behind builtin", (c) => `builtin eval ${single(c)}`),
  row("behind exec", (c) => `exec sh -c ${single(c)}`),
  row("behind watch", (c) => `watch -n1 ${single(c)}`),
  row("evaluated in single quotes", (c) => `eval ${single(c)}`),
  row("evaluated in double quotes", (c) => `eval ${double(c)}`),
  row("behind &&", (c) => `true && { ${c}\n}`),
  row("behind ||", (c) => `false || { ${c}\n}`),
  row("behind a pipe", (c) => `echo x | { ${c}\n}`),
  row("behind another command", (c) => `ls; ${c}`),
  row("before another command", (c) => `${c}\nls`),
  row("in the background", (c) => `{ ${c}\n} & wait`),
  row("behind a comment", (c) => `ls # a comment\n${c}`),
  row("before a comment", (c) => `{ ${c}\n} # a comment`),
  row("in if", (c) => `if true; then ${c}\nfi`),
  row("as the condition of if", (c) => `if ${c}\nthen :; fi`),
  row("in else", (c) => `if false; then :; else ${c}\nfi`),
  row("in for", (c) => `for i in 1 2; do ${c}\ndone`),
  row("in while", (c) => `while true; do ${c}\nbreak; done`),
  row("as the condition of until", (c) => `until ${c}\ndo :; done`),
  row("in case", (c) => `case x in (x) ${c}\n;; esac`),
  row("in a function", (c) => `f() { ${c}\n}; f`),
  row("in a function with its keyword", (c) => `function f { ${c}\n}\nf`),
  row("in a function that nobody calls", (c) => only(!/\$\{?\d/.test(c), () => `f() { ${c}\n}`)),
  row("in a substitution", (c) => `echo "$( ${c}\n)"`),
  row("in backticks", (c) => only(!/[`\\]/.test(c), () => `echo \`${c}\n\``)),
  row("in an assignment", (c) => `x=$( ${c}\n)`),
  row("in an array", (c) => `a=( $( ${c}\n) )`),
  row("in a test", (c) => `[[ -n $( ${c}\n) ]]`),
  row("in a default", (c) => only(!/['}]/.test(c), () => `: "\${x:-$( ${c}\n)}"`)),
  row("in the name of a file", (c) => `cat < "$( ${c}\n)"`),
  row("in a process substitution", (c) => `cat <( ${c}\n)`),
  row("in a process substitution that is written", (c) => `ls > >( ${c}\n)`),
  row("in a here-document for a shell", (c) => `bash <<'END_OF_TEXT'\n${c}\nEND_OF_TEXT`),
  row("in a here-document with expansions", (c) =>
    only(!/[$`\\]/.test(c), () => `bash <<END_OF_TEXT\n${c}\nEND_OF_TEXT`),
  ),
  row("in a here-document in a pipe", (c) => `cat <<'END_OF_TEXT' | sh\n${c}\nEND_OF_TEXT`),
  row("in a here-string for a shell", (c) => `bash <<< ${single(c)}`),
  row("printed into a shell", (c) => `printf '%s\\n' ${single(c)} | bash`),
  row("sourced from the input", (c) => `source /dev/stdin <<< ${single(c)}`),
  row("sourced from a substitution", (c) => `. <(printf '%s' ${single(c)})`),
  row("by xargs, line by line", (c) =>
    only(isFlat(c), () => `printf '%s' ${single(c)} | xargs -I{} sh -c {}`),
  ),
  row("by xargs, as a whole", (c) => `printf '%s' ${single(c)} | xargs -0 sh -c`),
  row("by xargs, as a text", (c) => only(!/\$[\d@*]/.test(c), () => `echo x | xargs sh -c ${single(c)}`)),
  row("by find", (c) => only(!c.includes("{}"), () => `find . -exec sh -c ${single(c)} \\;`)),
  row("by a trap", (c) => `trap ${single(c)} EXIT`),
  row("by an alias of git", (c) => `git -c alias.x=${single(`!${c}`)} x`),
  row("by awk", (c) => only(isFlat(c), () => `awk 'BEGIN { system(${JSON.stringify(c)}) }'`)),
  row("by python", (c) => `python3 -c ${single(`import os; os.system(${JSON.stringify(c)})`)}`),
  row("from a variable, evaluated", (c) => `x=${single(c)}; eval "$x"`),
  row("from a variable, for a shell", (c) => `x=${single(c)}; bash -c "$x"`),
  row("from a file", (c) => `printf '%s' ${single(c)} > tool.sh; bash tool.sh`),
  row(
    "from a file that is made a program",
    (c) => `cat > t.sh <<'END_OF_TEXT'\n${c}\nEND_OF_TEXT\nchmod +x t.sh && ./t.sh`,
  ),
];

const BUILTINS =
  /^(cd|export|source|eval|trap|declare|read|set|unset|alias|exec|builtin|printf|echo|kill|enable)\b/;
const KEYWORDS = /^(if|for|while|until|case|function|time|coproc)\b/;

/** One program with plain words, so that it can be taken apart. */
export const isSimple = (command: string): boolean =>
  /^[a-z][\w-]* [\w./ -]+$/.test(command) && !BUILTINS.test(command) && !KEYWORDS.test(command);

const words = (command: string): readonly string[] => command.split(" ");
const last = (command: string): string => words(command).at(-1) ?? "";
const allButLast = (command: string): string => words(command).slice(0, -1).join(" ");

/** A simple command with other words that mean the same. */
export const ALIKE: readonly Rewriting[] = [
  row("quotes inside of the name", (c) => c.replace(/^(.)(\S+)/, "$1'$2'")),
  row("empty quotes inside of the name", (c) => c.replace(/^(.)/, '$1""')),
  row("a quoted name", (c) => c.replace(/^(\S+)/, '"$1"')),
  row("a backslash before the name", (c) => `\\${c}`),
  row("a letter as a number", (c) => `$'\\x${c.charCodeAt(0).toString(16)}'${c.slice(1)}`),
  row("all words quoted", (c) => words(c).map(double).join(" ")),
  row("separators from a variable", (c) => c.replaceAll(" ", "${IFS}")),
  row("lines that go on", (c) => c.replaceAll(" ", " \\\n ")),
  row("the name from a variable", (c) => `p=${words(c)[0]}; $p ${words(c).slice(1).join(" ")}`),
  row("all from a variable", (c) => `c='${c}'; $c`),
  row("all from an array", (c) => `a=(${c}); "\${a[@]}"`),
  row("all from braces", (c) => `{${words(c).join(",")}}`),
  row("with its folder", (c) => `/usr/bin/${c}`),
  row("behind an assignment", (c) => `A=b ${c}`),
  row("with a redirection behind", (c) => `${c} > out.txt 2>&1`),
  row("with a redirection in front", (c) => `< /dev/null ${c}`),
  row("behind env", (c) => `env -i A=b ${c}`),
  row("behind nohup", (c) => `nohup ${c}`),
  row("behind timeout", (c) => `timeout -k 1 5s ${c}`),
  row("behind nice", (c) => `nice -n 10 ${c}`),
  row("behind ionice", (c) => `ionice -c 3 ${c}`),
  row("behind time", (c) => `time -p ${c}`),
  row("behind sudo", (c) => `sudo -E -u root -- ${c}`),
  row("behind doas", (c) => `doas ${c}`),
  row("behind command", (c) => `command ${c}`),
  row("behind exec", (c) => `exec ${c}`),
  row("by the loader", (c) => `/lib64/ld-linux-x86-64.so.2 /bin/${c}`),
  row("by busybox", (c) => `busybox ${c}`),
  row("by xargs", (c) => `echo ${last(c)} | xargs ${allButLast(c)}`),
  row("by xargs with a place", (c) => `echo ${last(c)} | xargs -n1 -I{} ${allButLast(c)} {}`),
];

/** A command as mere text. */
export const AS_DATA: readonly Rewriting[] = [
  row("printed", (c) => `echo ${single(c)}`),
  row("printed into a file", (c) => `printf '%s\\n' ${single(c)} >> notes.md`),
  row("searched with grep", (c) => `grep -n -e ${single(c)} notes.md`),
  row("searched with rg", (c) => `rg ${single(c)} .`),
  row("a here-document for a file", (c) => `cat > notes.md <<'END_OF_TEXT'\n${c}\nEND_OF_TEXT`),
  row("a here-document for tee", (c) => `tee notes.md > /dev/null <<'END_OF_TEXT'\n${c}\nEND_OF_TEXT`),
  row("the message of a commit", (c) => `git commit -m ${single(c)}`),
  row("the body of an issue", (c) => `gh issue create --body ${single(c)}`),
  row("the body of a request", (c) => `curl -s -d ${single(c)} http://localhost:3000/x`),
  row("a comment", (c) => `ls # ${c.replaceAll("\n", " ")}`),
  row("a variable that is not run", (c) => `x=${single(c)}; echo "$x"`),
  row("a variable for other programs", (c) => `export DOC=${single(c)}`),
  row("compared", (c) => `[ "$x" = ${single(c)} ]`),
  row("the subject of case", (c) => `case ${single(c)} in x) ;; esac`),
  row("a text of jq", (c) => `jq -n ${single(JSON.stringify(c))}`),
  row("an argument of jq", (c) => `jq -n --arg x ${single(c)} '{x: $x}'`),
  row("a replacement of sed", (c) => only(!/[\n/\\&]/.test(c), () => `sed ${single(`s/x/${c}/`)} notes.md`)),
  row("a text of awk", (c) => only(!/["\\|\n]/.test(c), () => `awk ${single(`{ print "${c}" }`)} notes.md`)),
  row("a text of python", (c) => `python3 -c ${single(`print(${JSON.stringify(c)})`)}`),
];
