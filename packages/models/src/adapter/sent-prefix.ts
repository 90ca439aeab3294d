import { createHash, type Hash } from "node:crypto";

/**
 * What stands before the next turn of a model, as a SHA-256 of the head (system prompt and tools) and of the messages so far. Thinking that a vendor
 * signed holds behind exactly what it was made behind: platform.claude.com/docs/en/build-with-claude/preserved-thinking/prefix-checks.
 *
 * `sent` grows while the request is written: it has the messages as they are sent, without cache marks, which change nothing. Each is read once, when
 * a digest is first asked for behind it, and must not change from then on. Where nobody asks, nothing is computed.
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
