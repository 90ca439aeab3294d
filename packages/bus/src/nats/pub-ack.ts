/** The outcome of a published message. */
export type PublishOutcome =
  /** A stream has stored the message. `again` means that an earlier try with the same id stored it, so the stream may be full now. */
  | { readonly kind: "stored"; readonly again?: true }
  /** There is no room for the message. The reason is one sentence. */
  | { readonly kind: "full"; readonly what: Full; readonly reason: string }
  /** No stream accepts the subject, or JetStream has no leader for it at the moment. */
  | { readonly kind: "no-stream" }
  /** The message may be stored or not. The reason is one sentence. */
  | { readonly kind: "unknown"; readonly reason: string };

/** What has no room: the stream itself, the account's storage, or the server's storage. */
export type Full = "stream" | "account" | "server";

/**
 * Reads the answer to a message. The answer is either a code, if no stream of the server accepts the subject, or the text of a stream. Never throws,
 * whoever sent the answer.
 */
export function readPubAck(code: number, body: string, subject: string): PublishOutcome {
  if (body === "") return code === NO_RESPONDERS ? NO_STREAM : unknown(`A message to ${subject} got an empty confirmation.`);
  let answer: unknown;
  try {
    answer = JSON.parse(body);
  } catch {
    return unknown(`A message to ${subject} got a confirmation that is not JSON.`);
  }
  if (typeof answer !== "object" || answer === null) return unknown(`A message to ${subject} got a confirmation that is not an object.`);
  if ("error" in answer) return refusal(answer.error, subject);
  // Anybody who listens on the subject may answer, but only a stream gives the name of a stream.
  if ("stream" in answer && typeof answer.stream === "string" && answer.stream !== "")
    return "duplicate" in answer && answer.duplicate === true ? STORED_BEFORE : STORED;
  return unknown(`A message to ${subject} got a confirmation without a stream.`);
}

const NO_RESPONDERS = 503;
const STORED: PublishOutcome = { kind: "stored" };
const STORED_BEFORE: PublishOutcome = { kind: "stored", again: true };
const NO_STREAM: PublishOutcome = { kind: "no-stream" };

function unknown(reason: string): PublishOutcome {
  return { kind: "unknown", reason };
}

function refusal(error: unknown, subject: string): PublishOutcome {
  const description =
    typeof error === "object" && error !== null && "description" in error && typeof error.description === "string" ? error.description : "";
  const code = typeof error === "object" && error !== null && "err_code" in error ? error.err_code : null;
  const what = fullOf(code, description);
  if (what !== null) return { kind: "full", what, reason: `The stream of ${subject} ${WHY[what]}.` };
  return unknown(`The stream of ${subject} refused a message: ${description.slice(0, LONGEST_DESCRIPTION) || "it does not say why"}.`);
}

/** Returns what is full, or null. A full stream has the same code as every failure to store, so only the description distinguishes it. */
function fullOf(code: unknown, description: string): Full | null {
  if (/maximum (?:bytes|messages) exceeded/.test(description)) return "stream";
  if (code === ACCOUNT_EXCEEDED) return "account";
  return SERVER_EXCEEDED.some((one) => one === code) || description.includes("no space left on device") ? "server" : null;
}

const ACCOUNT_EXCEEDED = 10002;
/** The codes for "insufficient resources" and "insufficient storage resources available". */
const SERVER_EXCEEDED = [10023, 10047];

const WHY: Readonly<Record<Full, string>> = {
  stream: "is full: its consumers are behind, or its max-bytes are too few",
  account: "accepts no message: its account has used up its storage",
  server: "accepts no message: JetStream has no room left on the server",
};

const LONGEST_DESCRIPTION = 200;
