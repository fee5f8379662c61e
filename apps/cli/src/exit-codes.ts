/** The exit codes of the command line: documented in the README, stable for scripts. */
export const EXIT_CODES = {
  success: { code: 0, meaning: "The task finished, or the command did what it says." },
  failed: { code: 1, meaning: "The run ended with an error, or something failed inside DeerFlow." },
  usage: {
    code: 2,
    meaning: "The command, its options, the configuration or the input is not right; nothing was done.",
  },
  question: {
    code: 3,
    meaning: 'The run ended with a question to you; answer it with `deerflow run --thread ID "…"`.',
  },
  cancelled: { code: 130, meaning: "You stopped the run (Ctrl-C); what was done is kept in the thread." },
} as const;
