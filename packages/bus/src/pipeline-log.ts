/** What the pipelines need from a log. Fields contain ids, topics, counts and codes, never bodies, attributes or error messages. */
export interface PipelineLog {
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Logs nothing. */
export const silentPipelineLog: PipelineLog = { warn: () => undefined, error: () => undefined };

/** The same log until somebody leaves; after that it is silent. For a process that leaves, a broker that goes away too is not news. */
export function logUntil(leaving: AbortSignal, log: PipelineLog): PipelineLog {
  const tell =
    (level: keyof PipelineLog) =>
    (fields: object, message: string): void =>
      leaving.aborted ? undefined : log[level](fields, message);
  return { warn: tell("warn"), error: tell("error") };
}

/** What a log may say about something thrown: its code and where it was thrown. Its message may quote a secret, so it is left out. */
export function faultFields(thrown: unknown): { readonly code: string; readonly where?: string } {
  if (!(thrown instanceof Error)) return { code: typeof thrown };
  const code = "code" in thrown && typeof thrown.code === "string" && CODE.test(thrown.code) ? thrown.code : thrown.name;
  const where = thrown.stack
    ?.split("\n")
    .find((line) => STACK_FRAME.test(line))
    ?.trim();
  return where === undefined ? { code } : { code, where };
}

/** An id for a log line: its sender may have made it arbitrarily long. */
export function loggedId(id: string): string {
  return id.slice(0, LONGEST_LOGGED_ID);
}

const LONGEST_LOGGED_ID = 200;
const CODE = /^[\w.-]{1,64}$/;
const STACK_FRAME = /^\s+at .*:\d+:\d+\)?$/;
