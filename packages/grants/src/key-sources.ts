import { createPublicKey, type KeyObject } from "node:crypto";
import { open } from "node:fs/promises";
import { describeProblems, type Jwks, type PublicJwk } from "@toolbus/contracts";
import { cachedKeys } from "./cached-keys.ts";
import { type ImportedKeys, importKeys, parseJwks } from "./jwks.ts";
import { KeyRefused } from "./key-refused.ts";
import type { KeySet } from "./key-set.ts";
import { MAX_JSON_BYTES } from "./strict-json.ts";

/** Returns a key set that never changes, for tests and for services in one process. Throws `KeyRefused` for private keys and duplicate ids. */
export function staticKeySet(jwks: Jwks): KeySet {
  const parsed = parseJwks(JSON.stringify(jwks));
  if (!parsed.ok) throw new KeyRefused(`The key set cannot be used: ${describeProblems(parsed.problems)}.`);
  let imported: Promise<ImportedKeys> | undefined;
  return {
    jwks: parsed.value,
    async find(kid) {
      imported ??= importKeys(parsed.value);
      return (await imported).get(kid) ?? null;
    },
  };
}

/** Returns a key set of public keys that were already checked. If two keys have the same id, the first one is used. */
export function publicKeys(keys: readonly PublicJwk[]): KeySet {
  const imported = new Map<string, KeyObject>();
  for (const { kty, crv, x, kid } of keys)
    if (!imported.has(kid)) imported.set(kid, createPublicKey({ key: { kty, crv, x }, format: "jwk" }));
  return { find: async (kid) => imported.get(kid) ?? null };
}

/** Returns a set with the keys of all these sets. If two sets have a key with the same id, the key of the first set is used. */
export function unitedKeys(sets: readonly KeySet[]): KeySet {
  return {
    async find(kid) {
      for (const set of sets) {
        const key = await set.find(kid);
        if (key !== null) return key;
      }
      return null;
    },
  };
}

export interface FileKeySetOptions {
  /** The path of a JWKS file. */
  readonly file: string;
  /** Returns the time in milliseconds. */
  readonly clock: () => number;
  /** The file is read again after this time. The default is one minute. */
  readonly refreshEveryMs?: number;
  readonly onProblem?: (message: string) => void;
}

/** Returns the key set in a file. A change of the file, including a revocation, takes effect within `refreshEveryMs`. */
export function fileKeySet({ file, clock, refreshEveryMs = 60_000, onProblem }: FileKeySetOptions): KeySet {
  return cachedKeys({
    load: () => readSmall(file),
    clock,
    refreshEveryMs,
    maxAgeMs: refreshEveryMs,
    onProblem: (message) => onProblem?.(`The key set in ${file} could not be read, so the keys stay as they were: ${message}`),
  });
}

async function readSmall(file: string): Promise<string> {
  await using handle = await open(file, "r");
  const buffer = Buffer.alloc(MAX_JSON_BYTES + 1);
  const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
  return buffer.toString("utf8", 0, bytesRead);
}

export interface HttpKeySetOptions {
  /** The address of `/.well-known/jwks.json` of approvals. The server at this address decides who can grant. */
  readonly url: string;
  /** Returns the time in milliseconds. */
  readonly clock: () => number;
  /** The maximum time for one load, including the body. */
  readonly timeoutMs: number;
  /** The shortest time between two loads for unknown key ids. The default is one minute. */
  readonly refreshEveryMs?: number;
  /** The time after which keys are loaded again. The default is five minutes. */
  readonly maxAgeMs?: number;
  readonly fetch?: typeof fetch;
  /** Aborts a load that is in progress, for shutdown. */
  readonly signal?: AbortSignal;
  readonly onProblem?: (message: string) => void;
}

/**
 * Returns the key set at a URL. Follows no redirects, rejects an answer over 64 KiB, and ends each load within `timeoutMs`. Throws `KeyRefused` for an
 * address from which no keys can be loaded.
 */
export function httpKeySet(options: HttpKeySetOptions): KeySet {
  const { url, clock, refreshEveryMs = 60_000, maxAgeMs = 300_000, onProblem } = options;
  const address = URL.parse(url);
  // fetch() refuses an address with a login. The sentence does not quote it, because it may have one.
  if (!address || !["http:", "https:"].includes(address.protocol) || address.username !== "" || address.password !== "")
    throw new KeyRefused(
      "The address of a key set must be an http or https URL without a login, such as https://approvals.example.com/.well-known/jwks.json.",
    );
  return cachedKeys({
    load: () => fetchSmall(options),
    clock,
    refreshEveryMs,
    maxAgeMs,
    onProblem: (message) => onProblem?.(`The key set at ${url} could not be read, so the keys stay as they were: ${message}`),
  });
}

async function fetchSmall({ url, timeoutMs, signal, fetch: request = fetch }: HttpKeySetOptions): Promise<string> {
  const deadline = AbortSignal.timeout(timeoutMs);
  const response = await request(url, {
    headers: { accept: "application/jwk-set+json, application/json" },
    redirect: "error",
    signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
  });
  if (!response.ok || !response.body) {
    await response.body?.cancel();
    throw new Error(`the answer is HTTP ${response.status}`);
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop cancels the body, so the rest of a large answer is never received.
  for await (const chunk of response.body) {
    size += chunk.byteLength;
    if (size > MAX_JSON_BYTES) throw new Error(`the answer is larger than ${MAX_JSON_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
