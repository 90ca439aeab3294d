import type { KeyObject } from "node:crypto";
import type { Jwks } from "@toolbus/contracts";

/**
 * The public keys that one kind of signature is checked with. A set serves one role: whoever's key is in the set of the approvals service
 * can grant, so no worker's receipt key belongs there.
 */
export interface KeySet {
  /**
   * The key with this id, or null when the set has none, or when it is revoked. Never rejects: a source that cannot be read leaves what is
   * known as it was, so grants are verified while the approvals service is down.
   */
  find(kid: string): Promise<KeyObject | null>;
  /** The keys themselves, where they are at hand and never change. */
  readonly jwks?: Jwks;
}
