import { connectState, StoreRefused } from "@toolbus/state";
import { removeNamespace, startPrivateServer } from "@toolbus/testing/servers";
import { remedyFor, whyAbsent } from "../absent-server.ts";
import { hostOf, withOption } from "../server-urls.ts";

/** The Redis on which both loops store their runs. */
export interface RunRedis {
  /** The address, in the form of the state store, without a namespace. */
  readonly url: string;
  /** Sentences about this Redis that readers of the figures must know. */
  readonly notes: readonly string[];
  /** Removes everything under a namespace. */
  remove(namespace: string): Promise<void>;
  stop(): Promise<void>;
}

const USUAL_URL = "redis://127.0.0.1:6379";

/**
 * Returns the Redis at the given address. If there is no address, starts a private Redis that syncs every write to disk. If that fails, returns the
 * Redis at the usual address. Rejects with one sentence if no Redis is available.
 */
export async function runRedis(named: string | null, signal: AbortSignal): Promise<RunRedis> {
  if (named !== null) return sharedRedis(named, []);
  try {
    // The setting turns off rewrites of the append-only file. A rewrite would slow only the side that is being measured at that moment.
    const server = await startPrivateServer("redis", { settings: { "auto-aof-rewrite-percentage": "0" } }, signal);
    return {
      url: server.url,
      notes: [`Redis ${server.version} is a private one with an append-only file, synced at every write.`],
      remove: async () => undefined,
      stop: () => server.remove(),
    };
  } catch (error) {
    signal.throwIfAborted();
    return sharedRedis(USUAL_URL, [error instanceof Error ? error.message : String(error)]);
  }
}

async function sharedRedis(url: string, reasons: readonly string[]): Promise<RunRedis> {
  const absent = await whyAbsent("redis", url);
  if (absent !== null) throw new Error([...reasons, absent, remedyFor(["redis"])].join(" "));
  const plain = new URL(url);
  plain.search = "";
  const remove = (namespace: string): Promise<void> => removeNamespace({ kind: "redis", url: plain.href }, namespace);
  const doubts = await durabilityDoubts(url);
  const where = `Redis at ${hostOf(url)}`;
  return {
    url: doubts.refused ? withOption(url, "durability", "relaxed") : url,
    notes: doubts.sentences.length > 0 ? doubts.sentences : [`${where} syncs every write to disk.`],
    remove,
    stop: async () => undefined,
  };
}

/**
 * Returns the sentences with which the state store warns about this server or refuses it. A refused server is measured anyway, because both loops
 * would lose the same data there.
 */
async function durabilityDoubts(url: string): Promise<{ readonly refused: boolean; readonly sentences: readonly string[] }> {
  const sentences: string[] = [];
  const look = async (address: string): Promise<void> => {
    const namespace = `bench-look-${process.pid}`;
    const state = await connectState(withOption(address, "namespace", namespace), {
      clock: () => Date.now(),
      warn: (sentence) => sentences.push(sentence),
    });
    await state.close();
    const plain = new URL(address);
    plain.search = "";
    await removeNamespace({ kind: "redis", url: plain.href }, namespace);
  };
  try {
    await look(url);
    return { refused: false, sentences };
  } catch (error) {
    if (!(error instanceof StoreRefused)) throw error;
    return { refused: true, sentences: [`${error.message} It is measured with durability=relaxed.`] };
  }
}
