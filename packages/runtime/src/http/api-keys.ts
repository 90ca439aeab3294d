import { hash, timingSafeEqual } from "node:crypto";
import { readFile } from "node:fs/promises";
import { type ApiKey, describeProblems, parseApiKeys, type Role, toolEntryFault, TRIGGER_ROLES } from "@toolbus/contracts";
import { Refusal } from "../refusal.ts";

/** The sender of a request. */
export interface Principal {
  readonly id: string;
  readonly tenant: string;
  readonly roles: readonly Role[];
  readonly scopes: readonly string[];
  /** The groups of the key's owner. A policy can require approvers of certain groups. Absent if there are none. */
  readonly groups?: readonly string[];
  /** The toolsets and tools that the key may use. Absent if it may use all of them. */
  readonly tools?: readonly string[];
  /** The key's name, for logs. */
  readonly keyId: string;
}

export interface ApiKeys {
  /** Returns the principal of an `Authorization: Bearer` value, or null. The lookup takes the same time for every unknown key. */
  find(authorization: string | undefined): Principal | null;
  /**
   * Returns the principal of the key with this name, or null if the key no longer exists or has expired. A service uses this method to check rights
   * that depend on the key.
   */
  named(keyId: string): Principal | null;
  /**
   * Returns a text that changes when the key with this name gets another secret, or null if there is no such key. The text does not reveal the
   * secret.
   */
  markOf(keyId: string): string | null;
  /** Returns the principals of all keys that have not expired, one for each key. */
  principals(): readonly Principal[];
}

/** Returns the entries of a file of API keys. The entries contain hashes instead of keys. Throws a `Refusal` that names the fault of the file. */
export async function readApiKeys(file: string): Promise<readonly ApiKey[]> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    throw new Refusal(
      `The file of API keys ${file} cannot be read (${(error as NodeJS.ErrnoException).code ?? "unknown"}): make it with "toolbus keys add", or let "npm start" make one.`,
      { cause: error },
    );
  }
  const keys = parseApiKeys(text);
  if (!keys.ok) throw new Refusal(`The file of API keys ${file} is not valid: ${describeProblems(keys.problems)}.`);
  for (const key of keys.value) {
    const { id, tools = [] } = key;
    const [fault = roleFault(key)] = tools.flatMap((entry) => toolEntryFault(entry) ?? []);
    if (fault !== undefined) throw new Refusal(`The key "${id}" in the file of API keys ${file} cannot be used: ${fault}`);
  }
  return keys.value;
}

/** Returns a fault if the key of a trigger also has another role. Other programs can often read such a key, so it may only begin investigations. */
function roleFault({ roles }: ApiKey): string | undefined {
  const trigger = TRIGGER_ROLES.find((role) => roles.includes(role));
  if (trigger === undefined || roles.length === 1) return undefined;
  return `the role "${trigger}" cannot be combined with another: give each role its own key.`;
}

/** Creates the lookup of keys. `clock` returns milliseconds since 1970 and decides whether a key has expired. */
export function apiKeys(keys: readonly ApiKey[], clock: () => number): ApiKeys {
  const known = keys.map((key) => ({ digest: Buffer.from(key.sha256, "hex"), key }));
  const isGood = ({ expiresAt }: ApiKey): boolean => expiresAt === undefined || clock() < expiresAt;
  return {
    find(authorization) {
      const secret = /^Bearer +([\x21-\x7e]{1,512})$/i.exec(authorization ?? "")?.[1];
      if (!secret) return null;
      const digest = hash("sha256", secret, "buffer");
      let found: ApiKey | null = null;
      for (const entry of known) if (timingSafeEqual(entry.digest, digest)) found = entry.key;
      return found && isGood(found) ? principalOf(found) : null;
    },
    named(keyId) {
      const entry = known.find(({ key }) => key.id === keyId);
      return entry && isGood(entry.key) ? principalOf(entry.key) : null;
    },
    markOf(keyId) {
      const entry = known.find(({ key }) => key.id === keyId);
      return entry ? hash("sha256", entry.digest, "base64url") : null;
    },
    principals: () => keys.filter(isGood).map(principalOf),
  };
}

function principalOf({ id: keyId, principal: id, tenant, roles, scopes, groups, tools }: ApiKey): Principal {
  return { id, tenant, roles, scopes, ...(groups === undefined ? {} : { groups }), ...(tools === undefined ? {} : { tools }), keyId };
}
