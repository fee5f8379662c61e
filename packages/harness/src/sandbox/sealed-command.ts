/**
 * How a command is run by a bash that is not on this machine, and how its processes are found again: each bears a
 * mark in its environment, which `setsid` and `nohup` do not take away. One that clears its environment escapes
 * until its container ends.
 */

/** The environment variable that bears the mark. */
export const MARK_VARIABLE = "DEERFLOW_COMMAND_ID";

/** Under these names, with a number, come the values of a command's variables. */
export const VALUE_PREFIX = "DEERFLOW_VALUE_";

/** Kills all that bear the mark `$mark`, save process `$spare`; again and again, for they may start others meanwhile. */
const SWEEP = `sweep() {
  local round folder entry found
  for round in 1 2 3 4 5 6 7 8 9 10; do
    found=
    for folder in /proc/[0-9]*; do
      [ "\${folder#/proc/}" = "$spare" ] && continue
      while IFS= read -r -d '' entry; do
        if [ "$entry" = "${MARK_VARIABLE}=$mark" ]; then kill -9 "\${folder#/proc/}" && found=1; break; fi
      done <"$folder/environ"
    done
    [ -z "$found" ] && break
  done
} 2>/dev/null`;

/**
 * A bash script: `$1` mark, `$2` working directory, `$3` seconds after which it is killed from inside, or nothing,
 * `$4` command line, then the names of the command's variables, whose values are in the environment as
 * DEERFLOW_VALUE_0, … . The command's output, of both kinds, is standard
 * output; standard error gets one line, `MARK:EXIT CODE`, at the end.
 */
export const SEALED_COMMAND = `mark=$1 folder=$2 limit=$3 command=$4; shift 4
${SWEEP}
number=0
for name; do
  value=${VALUE_PREFIX}$number
  export "$name=\${!value}"
  unset "$value"
  number=$((number + 1))
done
export TMPDIR="/tmp/command-$mark" ${MARK_VARIABLE}="$mark"
mkdir -p -- "$TMPDIR"
timed=
if [ -n "$limit" ] && command -v timeout >/dev/null 2>&1; then timed="timeout -s KILL $limit"; fi
if cd -- "$folder" 2>&1; then
  unset OLDPWD
  $timed bash --noprofile --norc -c "$command" bash </dev/null 2>&1
  code=$?
else code=1; fi
spare=$$; sweep
rm -rf -- "$TMPDIR"
echo "$mark:$code" >&2
exit "$code"`;

/** A bash script: kills what bears the mark `$1`. */
export const END_COMMAND = `mark=$1 spare=
${SWEEP}
sweep`;

/** The exit code that {@link SEALED_COMMAND} wrote; undefined when it did not come to its end. Pure. */
export function reportedExitCode(mark: string, errorOutput: string): number | undefined {
  const at = errorOutput.lastIndexOf(`${mark}:`);
  const code = at < 0 ? undefined : /^\d+/.exec(errorOutput.slice(at + mark.length + 1))?.[0];
  return code === undefined ? undefined : Number(code);
}
