import { hash } from "node:crypto";
import type { Json, Plan, ToolDefinition, ToolResult } from "@toolbus/contracts";
import { canonicalJson } from "./canonical-json.ts";

// All hashes have one form: `sha256-` and the digest in base64url.

/** Returns the hash of a call's arguments, over their canonical text. A grant contains this hash. */
export function argumentsHash(canonicalText: string): string {
  return sha256(canonicalText);
}

/** Returns the hash of a whole tool definition. A pin contains this hash, and a change of any field changes it. */
export function toolHash(definition: ToolDefinition): string {
  return sha256(canonicalJson(definition));
}

/**
 * Returns whether a definition that another process stored has this hash. Returns false for a definition that cannot be hashed (a lone surrogate, too
 * many levels).
 */
export function hasToolHash(definition: ToolDefinition, expected: string): boolean {
  try {
    return toolHash(definition) === expected;
  } catch {
    return false;
  }
}

/** Returns the hash of a result's content, for evidence, receipts and the comparison of a second answer with the first. */
export function contentHash(text: string): string {
  return sha256(text);
}

/**
 * Returns the `contentHash` of a result's whole content. Does not read the blob of a long content, because the blob's name is the same digest in hex.
 */
export function resultHash({ content, contentRef }: Pick<ToolResult, "content" | "contentRef">): string {
  return contentRef === undefined ? contentHash(content) : `sha256-${Buffer.from(contentRef.blob.slice(7), "hex").toString("base64url")}`;
}

/**
 * Returns the hash of everything in an answer except its `record`. A receipt contains this hash in addition to the hash of the content. `status` may
 * be any text, because a stranger may have sent the answer.
 */
export function answerHash(
  answer: Pick<ToolResult, "content" | "contentRef" | "isError" | "error" | "truncated" | "media"> & { readonly status: string },
): string {
  const { status, isError, content, contentRef, error, truncated, media } = answer;
  const whole = contentRef && [contentRef.blob, contentRef.chars, contentRef.bytes];
  const why = error && [
    error.code,
    error.class,
    error.message,
    error.retryable,
    error.retryAfter,
    error.details?.map((d) => [d.path, d.message]),
  ];
  // The hash covers a list of the fields in a fixed order, with null for a missing field. `JSON.stringify` gives a text for every answer. Canonical
  // JSON would refuse an answer with a lone surrogate, which a stranger can send.
  // Without media there is no further field, so that receipts from before there were media still fit.
  const beside = media === undefined ? [] : [media.map(({ blob, mediaType, bytes }) => [blob, mediaType, bytes])];
  return sha256(JSON.stringify([status, isError, content, whole, why, truncated, ...beside]));
}

/** Returns the hash of a write's prepared value, over its JSON text. */
export function preparedHash(prepared: Json): string {
  return sha256(JSON.stringify(prepared));
}

/**
 * Returns the hash of the secret that the invoke of a call contains. The answer must contain this hash, so only a process that saw the invoke can
 * answer.
 */
export function secretHash(secret: string): string {
  return sha256(secret);
}

function sha256(text: string): string {
  return `sha256-${hash("sha256", text, "base64url")}`;
}

/** Returns the hash of a plan, over its canonical text. A grant contains this hash. Throws a TypeError for a plan without a canonical form. */
export function planHash(plan: Plan): string {
  return sha256(canonicalJson({ before: plan.before, after: plan.after }));
}

/** Returns the hash of the problem that a worker reported in place of a plan. This hash never equals the hash of a plan. */
export function planProblemHash(problem: string): string {
  return sha256(canonicalJson({ problem }));
}
