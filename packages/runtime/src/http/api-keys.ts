import { hash, timingSafeEqual } from "node:crypto";
import { readFile } from "node:fs/promises";
import { type ApiKey, describeProblems, parseApiKeys, type Role, toolEntryFault } from "@toolbus/contracts";
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
  /** The principal of the key with this name, or null when there is none any more: for what was given out on the strength of that key. */
  named(keyId: string): Principal | null;
}

/** Reads the file of keys (hashes only). A file that cannot be used is refused with a sentence. */
export async function apiKeysFromFile(file: string): Promise<ApiKeys> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    throw new Refusal(
      `The file of API keys ${file} cannot be read (${(error as NodeJS.ErrnoException).code ?? "unknown"}): create it, or let "npm start" make one.`,
    );
  }
  const keys = parseApiKeys(text);
  if (!keys.ok) throw new Refusal(`The file of API keys ${file} is not valid: ${describeProblems(keys.problems)}.`);
  for (const { id, tools = [] } of keys.value) {
    const [fault] = tools.flatMap((entry) => toolEntryFault(entry) ?? []);
    if (fault !== undefined) throw new Refusal(`The key "${id}" in the file of API keys ${file} cannot be used: ${fault}`);
  }
  return apiKeys(keys.value);
}

export function apiKeys(keys: readonly ApiKey[]): ApiKeys {
  const known = keys.map((key) => ({ digest: Buffer.from(key.sha256, "hex"), key }));
  return {
    find(authorization) {
      const secret = /^Bearer +([\x21-\x7e]{1,512})$/i.exec(authorization ?? "")?.[1];
      if (!secret) return null;
      const digest = hash("sha256", secret, "buffer");
      let found: ApiKey | null = null;
      for (const entry of known) if (timingSafeEqual(entry.digest, digest)) found = entry.key;
      return found && principalOf(found);
    },
    named(keyId) {
      const entry = known.find(({ key }) => key.id === keyId);
      return entry ? principalOf(entry.key) : null;
    },
  };
}

function principalOf({ id: keyId, principal: id, tenant, roles, scopes, tools }: ApiKey): Principal {
  return { id, tenant, roles, scopes, ...(tools === undefined ? {} : { tools }), keyId };
}
