/** The few lines of bash between bubblewrap and the command. */
import { limitLines, type CommandLimits } from "../limits.js";

/**
 * A script that takes the working directory and the command as `$1` and `$2`, and ends with the command's exit
 * code. What it adds to `bash -c "$2"`:
 * - descriptors that the host leaked into its children are closed;
 * - limits are set inside, where processes are counted for this sandbox alone;
 * - output goes through a real pipe (`cat`), because what Node gives a child is a socket, and opening
 *   `/dev/stdout` or `/dev/stderr` of a socket fails;
 * - processes left in the background are ended, so that the pipe has an end.
 */
export const launcherScript = (limits: CommandLimits): string =>
  `exec 2>&1
for entry in /proc/self/fd/*; do
  number=\${entry##*/}
  (( number > 2 )) && eval "exec $number>&-"
done
cd -- "$1" || exit 1
exec 9> >(exec cat)
reader=$!
(
${limitLines(limits)}
exec bash --noprofile --norc -c "$2" bash >&9 2>&1 9>&-
)
status=$?
exec 9>&-
for entry in /proc/[0-9]*; do
  number=\${entry##*/}
  [[ $number == 1 || $number == $$ || $number == "$reader" ]] || kill -9 "$number"
done 2>/dev/null
wait "$reader"
exit "$status"`;
