import type { KeyObject } from "node:crypto";
import type { Jwks } from "@toolbus/contracts";

/**
 * The public keys that verify one kind of signature. A set serves one role. The owner of any key in the set of the approvals service can sign grants,
 * so a worker's receipt key must not be in that set.
 */
export interface KeySet {
  /**
   * Returns the key with this id, or null if the set has none or the key is revoked. Never rejects. If the source cannot be read, the known keys
   * remain valid, so workers can verify grants while approvals is down.
   */
  find(kid: string): Promise<KeyObject | null>;
  /** The keys themselves, if they are in memory and never change. */
  readonly jwks?: Jwks;
}
