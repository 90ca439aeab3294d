import { createHash, type Hash } from "node:crypto";

/**
 * The prefix of a model's next turn, as a SHA-256 of the head (system prompt and tools) and of the messages so far. Thinking that a vendor signed is valid
 * only after exactly the prefix with which it was made: platform.claude.com/docs/en/build-with-claude/preserved-thinking/prefix-checks.
 *
 * `sent` grows while the request is written: it has the messages as they are sent, without cache marks, which change nothing. Each is read once, when a digest is first requested after it, and must not change from then on. If nobody asks, nothing is computed.
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
