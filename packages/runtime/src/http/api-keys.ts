import { hash, timingSafeEqual } from "node:crypto";
import { readFile } from "node:fs/promises";
import { type ApiKey, describeProblems, parseApiKeys, type Role, toolEntryFault, TRIGGER_ROLES } from "@toolbus/contracts";
import { Refusal } from "../refusal.ts";

/** Who a request comes from. */
export interface Principal {
  readonly id: string;
  readonly tenant: string;
  readonly roles: readonly Role[];
  readonly scopes: readonly string[];
  /** The toolsets and tools that the key may use; absent: all of them. */
  readonly tools?: readonly string[];
  /** The key's name, for logs. */
  readonly keyId: string;
}

export interface ApiKeys {
  /** The principal of an `Authorization: Bearer` value, or null. Takes the same time for every unknown key. */
  find(authorization: string | undefined): Principal | null;
  /** The principal of the key with this name, or null if it no longer exists: for rights that were given out because of that key. */
  named(keyId: string): Principal | null;
}

/** The entries of a file of keys: hashes, no keys. Throws a `Refusal` that says what is wrong with the file. */
export async function readApiKeys(file: string): Promise<readonly ApiKey[]> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    throw new Refusal(
      `The file of API keys ${file} cannot be read (${(error as NodeJS.ErrnoException).code ?? "unknown"}): create it, or let "npm start" make one.`,
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

/** A program that begins investigations may do nothing else: its key is stored where other programs can read it. */
function roleFault({ roles }: ApiKey): string | undefined {
  const trigger = TRIGGER_ROLES.find((role) => roles.includes(role));
  if (trigger === undefined || roles.length === 1) return undefined;
  return `the role "${trigger}" cannot be combined with another: give each role its own key.`;
}

/** `clock`: milliseconds since 1970, for keys that expire. */
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
  };
}

function principalOf({ id: keyId, principal: id, tenant, roles, scopes, tools }: ApiKey): Principal {
  return { id, tenant, roles, scopes, ...(tools === undefined ? {} : { tools }), keyId };
}
