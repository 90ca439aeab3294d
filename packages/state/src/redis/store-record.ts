import { DEFAULT_SHARDS, STORE_FORMAT } from "@toolbus/contracts";
import { StoreRefused } from "../state-store.ts";
import type { RedisConnection } from "./redis-connection.ts";

/** The values that were fixed at the store's first start. */
export interface StoreRecord {
  readonly shards: number;
  /** Distinguishes this store from every other store, and from a new store at the same address after all data was lost. */
  readonly identity: string;
}

// If each field had its own HSETNX, two processes that start a new store at the same time could mix their values.
const CREATE = "if redis.call('EXISTS', KEYS[1]) == 0 then redis.call('HSET', KEYS[1], unpack(ARGV)) end";

/**
 * Reads the record. At the first start, writes it with the requested number of shards. Throws `StoreRefused` for another format, and for a number of
 * shards other than the requested one.
 */
export async function openStoreRecord(
  { command }: Pick<RedisConnection, "command">,
  key: string,
  wanted: { readonly shards: number | undefined; readonly identity: string },
  shown: string,
): Promise<StoreRecord> {
  const found = await fields(command, key);
  if (found) return checked(found, wanted.shards, shown);
  const shards = String(wanted.shards ?? DEFAULT_SHARDS);
  await command("eval", [CREATE, 1, key, "format", STORE_FORMAT, "shards", shards, "identity", wanted.identity]).catch((error: unknown) => {
    if (!(error instanceof StoreRefused)) throw error;
    throw new StoreRefused(
      `${shown} holds no state store yet, and this user may not make one: "toolbus permissions --set-up" has a login for it.`,
      { cause: error },
    );
  });
  // Another process may have written the record first.
  const written = await fields(command, key);
  if (!written) throw new StoreRefused(`${shown} did not keep what was written: something removes keys of the state store.`);
  return checked(written, wanted.shards, shown);
}

interface Fields {
  readonly format: string;
  readonly shards: string;
  readonly identity: string;
}

async function fields(command: RedisConnection["command"], key: string): Promise<Fields | null> {
  const reply = await command("hmget", [key, "format", "shards", "identity"]);
  const [format, shards, identity]: unknown[] = Array.isArray(reply) ? reply : [];
  if (typeof format !== "string") return null;
  return { format, shards: String(shards), identity: String(identity) };
}

function checked({ format, shards, identity }: Fields, asked: number | undefined, shown: string): StoreRecord {
  if (format !== STORE_FORMAT) {
    throw new StoreRefused(
      `${shown} holds a state store of format ${format}, this program reads ${STORE_FORMAT}: start the version that wrote it, or name another namespace.`,
    );
  }
  if (asked !== undefined && String(asked) !== shards) {
    throw new StoreRefused(
      `${shown} holds a state store of ${shards} shards, fixed at its first start, not ${asked}: ask for ${shards} or name another namespace.`,
    );
  }
  return { shards: Number(shards), identity };
}
