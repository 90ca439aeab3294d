import { createHash, type Hash } from "node:crypto";

/**
 * Returns a function that computes the digest of the prefix of a model's next turn. It is a SHA-256 of the head (system prompt and tools) and of the
 * messages so far. Thinking that a vendor signed is valid only after exactly the prefix with which the model wrote it. Source:
 * platform.claude.com/docs/en/build-with-claude/preserved-thinking/prefix-checks.
 *
 * `sent` grows while the adapter writes the request. It contains the messages as they are sent, without cache marks, which change nothing. A digest
 * reads each message once, when it first includes the message. So a message must not change after that. The function computes nothing until the first
 * digest is requested.
 */
export function sentPrefix(head: object, sent: readonly object[]): () => string {
  let hash: Hash | null = null;
  let at = 0;
  return () => {
    hash ??= createHash("sha256").update(JSON.stringify(head));
    for (; at < sent.length; at++) hash.update(`\n${JSON.stringify(sent[at])}`);
    return hash.copy().digest("base64url");
  };
}
