import { createHash } from "node:crypto";
import { describeProblems, jsonParser, Jwks, type PublicJwk, TrustedKeysFile } from "@toolbus/contracts";
import { publicKeysIn } from "./evidence.ts";
import { KeyRefused } from "./key-refused.ts";

/** The result of checking a file offline. */
export interface FileVerdict {
  readonly kind: "evidence" | "audit";
  /** What the checks found to be whole, one sentence each. */
  readonly checked: readonly string[];
  /** The first broken link in one sentence, or null if no link in the file is broken. */
  readonly broken: string | null;
  /**
   * The keys of approvals that were taken from the file itself. Without a trusted key set, the file proves only that it is whole under these keys.
   */
  readonly keysFromFile: readonly string[];
  /** The parts that only the agent, or somebody unknown, wrote. */
  readonly unattested: readonly string[];
  /** The parts that the file does not have. */
  readonly missing: readonly string[];
}

/** A check that failed. The message is the sentence that names the broken link. */
export class BrokenLink extends Error {
  override readonly name = "BrokenLink";
}

/**
 * Returns the keys of approvals in the text of a trusted file. The file is a JWKS, as approvals publishes it, or a file of the services' keys. Throws
 * `KeyRefused` for another file, for a file without a key of approvals, and for a key with a wrong id.
 */
export function trustedRoots(text: string, file: string): readonly PublicJwk[] {
  const services = parseServices(text);
  const parsed = services.ok ? { ok: true as const, value: services.value.services["approvals"] ?? { keys: [] } } : parseSet(text);
  if (!parsed.ok) throw new KeyRefused(`The file ${file} is no set of public keys: ${describeProblems(parsed.problems)}.`);
  const revoked = new Set(parsed.value.revokedKids);
  const keys = publicKeysIn(parsed.value).filter(({ kid }) => !revoked.has(kid));
  if (keys.length === 0) throw new KeyRefused(`The file ${file} has no Ed25519 key of approvals.`);
  for (const key of keys)
    if (thumbprintOf(key) !== key.kid) throw new KeyRefused(`In the file ${file}, the key ${key.kid} does not have the id of its bytes.`);
  return keys;
}

/** Returns the RFC 7638 thumbprint of a key, which is its id. */
export function thumbprintOf({ x }: Pick<PublicJwk, "x">): string {
  return createHash("sha256").update(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`).digest("base64url");
}

/** Throws if a key in the file has fields that a public key does not have, has an id that is not its thumbprint, or occurs twice. */
export function checkKeyIds(keys: readonly PublicJwk[]): void {
  const seen = new Set<string>();
  for (const key of keys) {
    if (Object.keys(key).toSorted(byCodeUnits).join() !== "alg,crv,kid,kty,use,x")
      throw new BrokenLink(`The key ${key.kid} in the file has other fields than a public key.`);
    if (thumbprintOf(key) !== key.kid) throw new BrokenLink(`The key ${key.kid} in the file does not have the id of its bytes.`);
    if (seen.has(key.kid)) throw new BrokenLink(`The key ${key.kid} is in the file twice.`);
    seen.add(key.kid);
  }
}

function byCodeUnits(a: string, b: string): number {
  return a < b ? -1 : 1;
}

const parseServices = jsonParser(TrustedKeysFile);
const parseSet = jsonParser(Jwks);
