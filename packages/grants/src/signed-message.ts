import { hash } from "node:crypto";
import { attributes, MAX_BODY_BYTES, type Message } from "@toolbus/contracts";
import { openJws, signJws } from "./jws.ts";
import type { Signer } from "./keys.ts";
import { isObject, parseStrictJson } from "./strict-json.ts";
import type { TrustedKeys } from "./trusted-keys.ts";

/** Who sends: the name of its service and its own key. */
export interface Identity {
  /** `agent`, `gateway`, `approvals` or `worker.<toolset>`, as the file of trusted keys has it. */
  readonly service: string;
  readonly signer: Signer;
}

/**
 * The message with the signature of its sender over topic, type, correlation, sender's name and body. Not over id and time: an operator may replay a dead
 * letter, and whoever takes such a message does the same thing once, however often it comes.
 */
export async function signMessage(message: Message, { service, signer }: Identity): Promise<Message> {
  const { [attributes.signature]: _, ...others } = message.attributes;
  const named: Message = { ...message, attributes: { ...others, [attributes.sender]: service } };
  const signature = await signJws("tb-message+jwt", claimsOf(named, service), signer);
  return { ...named, attributes: { ...named.attributes, [attributes.signature]: signature } };
}

/** `detail` names what is wrong, never what the message says. */
export type SenderVerdict =
  | { readonly kind: "genuine"; readonly service: string }
  | { readonly kind: "unsigned" | "unknown_key" | "forged"; readonly detail: string };

/**
 * Judges who signed a message, by the keys that are trusted for the sender whom it names. What is signed is the body's bytes, so a body that two readers could
 * take for two things (a key that stands twice) is refused, whoever signed it.
 */
export async function verifySender(message: Message, trusted: TrustedKeys): Promise<SenderVerdict> {
  const { [attributes.signature]: signature, [attributes.sender]: service } = message.attributes;
  if (signature === undefined || service === undefined) return { kind: "unsigned", detail: "it is not signed by its sender" };
  const opened = await openJws("tb-message+jwt", signature, trusted.of(service));
  if (opened.kind === "refused") return { kind: "forged", detail: opened.detail };
  if (opened.kind === "unknown_key") return { kind: "unknown_key", detail: `the key ${opened.kid} is none of its sender's` };
  const expected: Readonly<Record<string, unknown>> = claimsOf(message, service);
  const claims = opened.payload;
  const same = isObject(claims) && Object.keys(expected).every((name) => claims[name] === expected[name]);
  if (!same) return { kind: "forged", detail: "its signature is of another message" };
  const read = parseStrictJson(message.body, MAX_BODY_BYTES);
  return read.ok ? { kind: "genuine", service } : { kind: "forged", detail: "its body can be read in more than one way" };
}

function claimsOf({ topic, type, correlationId, body }: Message, service: string) {
  const bodyHash = `sha256-${hash("sha256", body, "base64url")}`;
  return { topic, type, service, hash: bodyHash, correlation: correlationId ?? "" };
}
