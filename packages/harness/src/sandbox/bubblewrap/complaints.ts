/** What came on standard error, where only what is around a command writes: who wrote it says whether the command ran. */

/** bubblewrap, the shells around it, and the loader of either. */
const SPEAKERS = /^(bwrap|sandbox|\/\S*\/bwrap): /m;

export interface Complaints {
  /** Why the command was not started; absent when it was. */
  readonly failure?: string;
  /** What belongs to the command's output, as the loader's words about its variables. */
  readonly output: string;
}

/** Pure. */
export const complaintsIn = (errorOutput: string): Complaints =>
  SPEAKERS.test(errorOutput) ? { failure: errorOutput.trim(), output: "" } : { output: errorOutput };

/** An output with what belongs to it too, on lines of its own. Pure. */
export const withComplaints = (output: string, complaints: string): string =>
  output === "" || output.endsWith("\n") || complaints === ""
    ? output + complaints
    : `${output}\n${complaints}`;
