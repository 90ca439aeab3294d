import { hash } from "node:crypto";
import { attributes, MAX_BODY_BYTES, type Message } from "@toolbus/contracts";
import { openJws, signJws } from "./jws.ts";
import type { Signer } from "./keys.ts";
import { isObject, parseStrictJson } from "./strict-json.ts";
import type { TrustedKeys } from "./trusted-keys.ts";

/** The identity of a sender: the name of its service, and its key. */
export interface Identity {
  /** The name in the file of trusted keys: `agent`, `gateway`, `approvals` or `worker.<toolset>`. */
  readonly service: string;
  readonly signer: Signer;
}

/**
 * Returns the message with its sender's signature over topic, type, correlation, sender's name, body and grant. The signature does not cover the id
 * and the time, because an operator may replay a dead letter. A receiver acts on a message only once, even if it arrives several times.
 */
export async function signMessage(message: Message, { service, signer }: Identity): Promise<Message> {
  const { [attributes.signature]: _, ...others } = message.attributes;
  const named: Message = { ...message, attributes: { ...others, [attributes.sender]: service } };
  const signature = await signJws("tb-message+jwt", claimsOf(named, service), signer);
  return { ...named, attributes: { ...named.attributes, [attributes.signature]: signature } };
}

/** The verdict on the sender of a message. `detail` says what is wrong, and never quotes the message. */
export type SenderVerdict =
  | { readonly kind: "genuine"; readonly service: string }
  | { readonly kind: "unsigned" | "unknown_key" | "forged"; readonly detail: string };

/**
 * Judges whether the sender that a message names signed it, with the keys that are trusted for this sender. The signature covers the body's bytes. A
 * body that two readers could read differently (a duplicate key) is refused, whoever signed it.
 */
export async function verifySender(message: Message, trusted: TrustedKeys): Promise<SenderVerdict> {
  const { [attributes.signature]: signature, [attributes.sender]: service } = message.attributes;
  if (signature === undefined || service === undefined) return { kind: "unsigned", detail: "it is not signed by its sender" };
  const opened = await openJws("tb-message+jwt", signature, trusted.of(service));
  if (opened.kind === "refused") return { kind: "forged", detail: opened.detail };
  if (opened.kind === "unknown_key") return { kind: "unknown_key", detail: `the key ${opened.kid} does not belong to its sender` };
  const expected: Readonly<Record<string, unknown>> = claimsOf(message, service);
  const claims = opened.payload;
  const names = Object.keys(expected);
  // The number of claims is compared too, because a signature over a grant is not one over the same message without it.
  const same = isObject(claims) && Object.keys(claims).length === names.length && names.every((name) => claims[name] === expected[name]);
  if (!same) return { kind: "forged", detail: "its signature belongs to another message" };
  const read = parseStrictJson(message.body, MAX_BODY_BYTES);
  return read.ok ? { kind: "genuine", service } : { kind: "forged", detail: "its body can be read in more than one way" };
}

function claimsOf(
  { topic, type, correlationId, attributes: { [attributes.grant]: grant }, body }: Message,
  service: string,
): Readonly<Record<string, string>> {
  const granted: Readonly<Record<string, string>> = grant === undefined ? {} : { grant: sha256(grant) };
  return { topic, type, service, hash: sha256(body), correlation: correlationId ?? "", ...granted };
}

function sha256(text: string): string {
  return `sha256-${hash("sha256", text, "base64url")}`;
}
