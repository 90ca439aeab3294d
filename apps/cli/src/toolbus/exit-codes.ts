/** The exit codes of every command. `--help` and docs/cli.md print the same table. */
export const EXIT = {
  ok: 0,
  failed: 1,
  /** The command line was wrong, or the condition of `--fail-on` or `--fail-on-regression` was met, or a replay differs from its log. */
  usage: 2,
  condition: 2,
  unreachable: 3,
  /** The demo's write waits for a person, and there was nobody to ask. */
  pending: 3,
  notAllowed: 4,
  notFound: 5,
  timedOut: 124,
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

export const EXIT_MEANINGS: readonly (readonly [code: ExitCode, meaning: string])[] = [
  [0, "the command succeeded"],
  [1, "the run, the call or a check failed, or the request came too late"],
  [2, "the command cannot be used as typed, a condition such as --fail-on holds, or a replay differs"],
  [3, "Toolbus does not answer, or is not ready, or the approval of a demo is still pending"],
  [4, "there is no key, the service does not accept the key, or the key may not do this"],
  [5, "what the command names does not exist, or this key may not see it"],
  [124, "--timeout ran out, and started runs continue"],
  [130, "interrupted with Ctrl-C, or told to stop (SIGTERM)"],
];
