/** The few lines of shell between bubblewrap and the command. */
import { limitLines, type CommandLimits } from "../limits.js";

/**
 * Closes every descriptor but the first three, and becomes the rest of its arguments. In bash, because another shell
 * may know only descriptors of one digit.
 */
const CLOSING = `for entry in /proc/self/fd/*; do
  number=\${entry##*/}
  (( number > 2 )) && eval "exec $number>&-"
done
exec "$@"`;

/** Takes working directory, command and {@link CLOSING}, and begins anew with the last when a descriptor needs it. */
const launcher = (limits: CommandLimits): string =>
  `exec 2>&1
for entry in /proc/self/fd/*; do
  case \${entry##*/} in
    [0-2]) ;;
    [3-9]) eval "exec \${entry##*/}>&-" ;;
    *) [ -e "$entry" ] && exec /bin/bash --noprofile --norc -c "$3" bash /bin/sh -c "$4" sh "$@" ;;
  esac
done
cd -- "$1" 2>/dev/null || {
  reason="Permission denied"
  [ -d "$1" ] || reason="Not a directory"
  [ -e "$1" ] || reason="No such file or directory"
  echo "cd: $1: $reason"
  exit 1
}
(
${limitLines(limits, "sh")}
exec /bin/bash --noprofile --norc -c "$2" bash
)
exit "$?"`;

/**
 * A shell that ends with the exit code of the command. It must be process 1 of its PID namespace: no signal from
 * inside reaches that one, and what the command leaves in the background ends with it. What it adds to
 * `bash -c command`:
 * - descriptors that the host leaked into its children are closed;
 * - limits are set inside, where processes are counted for this sandbox alone.
 */
export function launcherArguments(limits: CommandLimits, cwd: string, command: string): readonly string[] {
  const script = launcher(limits);
  return ["/bin/sh", "-c", script, "sh", cwd, command, CLOSING, script];
}
