import { MAX_BODY_BYTES, type Message } from "@toolbus/contracts";
import type { FuzzTopic } from "./fuzz-topics.ts";

/** The reasons why a message is refused before its handler sees it. Each has the pattern of its text in the dead letter. */
const READING: readonly (readonly [name: Refusal, words: RegExp])[] = [
  ["no JSON", /^the body is not JSON$/],
  ["schema", /^the body breaks its schema: /],
  ["unknown type", /^the type is not one of /],
  ["too large", /^the (?:body is|attributes are) over \d+ bytes$/],
  ["too old", /^the message is older than \d+ ms$/],
  ["dated ahead", /^the message is dated more than \d+ ms ahead$/],
  ["long name", /^the (?:id|type|source|correlationId|replyTo) is over 255 bytes$/],
  ["no time", /^the time is not RFC 3339$/],
];

/** The reasons why a handler gives up a message. */
const HANDLING: readonly (readonly [name: string, words: RegExp])[] = [
  ["no answer", /^the answer breaks its contract$/],
  ["no agent", /^the agent's name is invalid$/],
  ["no grant", /^its grant is longer than any valid grant$/],
  ["no fitting arguments", /^its arguments do not fit the definition$/],
  ["no such shard", /names a shard that this store does not have$/],
  // The sender of the message can forge this count.
  ["worn out", /^delivered \d+ times; none was acked$/],
  // This happens to a second invoke of a call that never ends, and to an answer for an agent that does not exist.
  ["under way", /^delivered 10 times; this process works on the call already$/],
  ["nobody to answer", /^delivered 10 times; the state store or the bus is not available$/],
];

export type Refusal = (typeof REFUSALS)[number];

/** The refusals of the consume pipeline itself. */
export const REFUSALS = ["no JSON", "schema", "unknown type", "too large", "too old", "dated ahead", "no time", "long name"] as const;

/** Returns the short name of a dead letter's reason, or null for an unexpected reason. */
export function reasonName(reason: string): string | null {
  return [...READING, ...HANDLING].find(([, words]) => words.test(reason))?.[0] ?? null;
}

const DAY_MS = 24 * 3_600_000;

/**
 * Computes, without the pipeline's code, what the pipeline must refuse. Returns null for a message that its handler must receive. A broadcast is not
 * queued, so its age is not checked.
 */
export function refusalOf(message: Message, { kind, types, parse }: FuzzTopic, now: number): Refusal | null {
  const attributes = Object.entries(message.attributes).flat();
  if (Buffer.byteLength(message.body) > MAX_BODY_BYTES || attributes.reduce((sum, text) => sum + Buffer.byteLength(text), 0) > 65_536)
    return "too large";
  const names = [message.id, message.type, message.source, message.correlationId ?? "", message.replyTo ?? ""];
  if (names.some((name) => Buffer.byteLength(name) > 255)) return "long name";
  if (!types.includes(message.type)) return "unknown type";
  if (kind === "queue") {
    const sent = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/i.test(message.time)
      ? Date.parse(message.time)
      : Number.NaN;
    if (Number.isNaN(sent)) return "no time";
    if (sent < now - DAY_MS) return "too old";
    if (sent > now + DAY_MS) return "dated ahead";
  }
  try {
    return parse(JSON.parse(message.body)).ok ? null : "schema";
  } catch {
    return "no JSON";
  }
}
