/** The log of the pipelines. Its fields contain ids, topics, counts and codes, but never bodies, attributes or error messages. */
export interface PipelineLog {
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** A log that drops every line. */
export const silentPipelineLog: PipelineLog = { warn: () => undefined, error: () => undefined };

/** Returns the same log, which becomes silent when the signal aborts. A closing process does not need to report that a broker disconnects as well. */
export function logUntil(leaving: AbortSignal, log: PipelineLog): PipelineLog {
  const tell =
    (level: keyof PipelineLog) =>
    (fields: object, message: string): void =>
      leaving.aborted ? undefined : log[level](fields, message);
  return { warn: tell("warn"), error: tell("error") };
}

/**
 * Returns what a log may say about a thrown value: its code and where it was thrown. The message of an error may quote a secret, so it is left out.
 */
export function faultFields(thrown: unknown): { readonly code: string; readonly where?: string } {
  if (!(thrown instanceof Error)) return { code: typeof thrown };
  const code = "code" in thrown && typeof thrown.code === "string" && CODE.test(thrown.code) ? thrown.code : thrown.name;
  const where = thrown.stack
    ?.split("\n")
    .find((line) => STACK_FRAME.test(line))
    ?.trim();
  return where === undefined ? { code } : { code, where };
}

/** Returns an id for a log line. It is truncated, because a sender may have made it arbitrarily long. */
export function loggedId(id: string): string {
  return id.slice(0, LONGEST_LOGGED_ID);
}

const LONGEST_LOGGED_ID = 200;
const CODE = /^[\w.-]{1,64}$/;
const STACK_FRAME = /^\s+at .*:\d+:\d+\)?$/;
