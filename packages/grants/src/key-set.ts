import type { KeyObject } from "node:crypto";
import type { Jwks } from "@toolbus/contracts";

/**
 * The public keys that one kind of signature is checked with. A set serves one role: whoever has a key in the set of approvals can grant, so a
 * worker's receipt key must not be in it.
 */
export interface KeySet {
  /**
   * The key with this id; null if the set has none or the key is revoked. Never rejects: if the source cannot be read, the known keys stay, so
   * workers can verify grants while approvals is down.
   */
  find(kid: string): Promise<KeyObject | null>;
  /** The keys themselves, if they are in memory and never change. */
  readonly jwks?: Jwks;
}
