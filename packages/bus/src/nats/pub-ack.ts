/** What became of a message that was published. */
export type PublishOutcome =
  /** A stream holds it, now or since an earlier try with the same id. */
  | { readonly kind: "stored" }
  /** No stream took the subject, or JetStream has no leader for it at the moment. */
  | { readonly kind: "no-stream" }
  /** It may be stored or not. A sentence. */
  | { readonly kind: "unknown"; readonly reason: string };

/** Reads what came back for a message: the code of a server that knows no stream, or a stream's own words. Never throws, whoever sent it. */
export function readPubAck(code: number, body: string, subject: string): PublishOutcome {
  if (body === "") return code === NO_RESPONDERS ? NO_STREAM : unknown(`A message to ${subject} got an empty confirmation.`);
  let answer: unknown;
  try {
    answer = JSON.parse(body);
  } catch {
    return unknown(`A message to ${subject} got a confirmation that is no JSON.`);
  }
  if (typeof answer !== "object" || answer === null) return unknown(`A message to ${subject} got a confirmation that is no object.`);
  if ("error" in answer) return unknown(refusal(answer.error, subject));
  // Whoever listens on the subject may answer; only a stream says its name.
  if ("stream" in answer && typeof answer.stream === "string" && answer.stream !== "") return STORED;
  return unknown(`A message to ${subject} got a confirmation without a stream.`);
}

const NO_RESPONDERS = 503;
const STORED: PublishOutcome = { kind: "stored" };
const NO_STREAM: PublishOutcome = { kind: "no-stream" };

function unknown(reason: string): PublishOutcome {
  return { kind: "unknown", reason };
}

function refusal(error: unknown, subject: string): string {
  const description =
    typeof error === "object" && error !== null && "description" in error && typeof error.description === "string" ? error.description : "";
  if (/maximum (?:bytes|messages) exceeded/.test(description))
    return `The stream of ${subject} is full: its consumers are behind, or its max-bytes are too few.`;
  return `The stream of ${subject} refused a message: ${description.slice(0, LONGEST_DESCRIPTION) || "it does not say why"}.`;
}

const LONGEST_DESCRIPTION = 200;
