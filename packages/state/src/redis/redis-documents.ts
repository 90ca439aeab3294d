import type { Json } from "@toolbus/contracts";
import { isExpired } from "../expiry.ts";
import type { PreparedChange } from "../prepared-change.ts";
import type { ChangedReply, CommitReply, Guard, HeadReply, ReadReply, Seen, StoredDocument } from "../state-store.ts";
import { commitArguments } from "./commit-arguments.ts";
import type { RedisContext } from "./redis-context.ts";
import { DOCUMENT_HEAD } from "./redis-keys.ts";
import { listOf, textIn } from "./redis-replies.ts";
import { redisScripts } from "./redis-scripts.ts";

export interface RedisDocuments {
  /** Returns when this process last saw a commit of this shard, by the store's clock. */
  seenAt(shard: string): number | undefined;
  /** Records that the store has lost every commit of the shard that this process saw. `now` is the store's time. */
  lost(shard: string, now: number): void;
  read(keys: readonly string[]): Promise<ReadReply>;
  commit(shard: string, change: PreparedChange): Promise<CommitReply>;
  head(shard: string): Promise<HeadReply>;
  changed(shard: string, since: Seen, known: readonly Guard[]): Promise<ChangedReply>;
}

export interface RedisDocumentsOptions {
  /** Returns eight characters that no other commit has. */
  readonly newMark: () => string;
  /**
   * Invoked when the store has lost acknowledged commits of this shard. `seenAt` is when this process last saw one of them, by the store's clock.
   */
  readonly onRollback: (shard: string, seenAt: number) => void;
}

interface LastSeen extends Seen {
  /** The store's time in the reply. */
  readonly at: number;
}

type Documents = ReadonlyMap<string, StoredDocument | null>;

/** Makes the documents of a Redis store. Each commit presents the last commit of the shard that this process saw. */
export function redisDocuments(context: RedisContext, { newMark, onRollback }: RedisDocumentsOptions): RedisDocuments {
  const { connection, keys: layout, shards, together, clock } = context;
  const lastSeen = new Map<string, LastSeen>();
  return {
    seenAt: (shard) => lastSeen.get(shard)?.at,
    lost(shard, now) {
      const last = lastSeen.get(shard);
      lastSeen.delete(shard);
      onRollback(shard, Math.min(last?.at ?? now, now));
    },
    async read(keys) {
      const parts = together.length === 1 ? [keys] : [...Map.groupBy(keys, shards.shardOf).values()];
      const replies = await Promise.all((parts.length === 0 ? [keys] : parts).map(readTogether));
      const documents: Documents = new Map(replies.flatMap((reply) => [...reply.documents]));
      return { now: Math.max(...replies.map(({ now }) => now)), documents: keys.map((key) => documents.get(key) ?? null) };
    },
    async commit(shard, change) {
      const last = lastSeen.get(shard);
      const seen = change.seen ?? last;
      const { keys, args } = commitArguments(layout, shard, change, {
        clock: clock.argument(),
        floor: clock.floor(),
        mark: newMark(),
        seen,
      });
      const askedAt = clock.asking();
      const reply = replyOf(listOf(await connection.script(redisScripts.commit, keys, args)), (now) => clock.heard(now, askedAt));
      if (!change.seen) see(shard, last, reply);
      return reply;
    },
    async head(shard) {
      const askedAt = clock.asking();
      const reply = await connection.script(redisScripts.head, [layout.commits(shard), layout.marks(shard)], [clock.argument()]);
      const [now, commit, mark] = listOf(reply).map(textIn);
      return { now: clock.heard(Number(now), askedAt), last: mark ? { commit: Number(commit), mark } : null };
    },
    async changed(shard, { commit, mark }, known) {
      const askedAt = clock.asking();
      const [said, isKnown, ...changes] = listOf(
        await connection.script(
          redisScripts.changed,
          [layout.commits(shard), layout.marks(shard), ...known.map(({ key }) => layout.document(key))],
          [clock.argument(), String(commit), mark, ...known.map(({ version }) => String(version))],
        ),
      );
      const now = clock.heard(Number(textIn(said)), askedAt);
      if (isKnown !== 1) return { now, changed: null };
      const places = Array.from({ length: changes.length / 2 }, (_, n) => [Number(changes[2 * n]), textIn(changes[2 * n + 1])] as const);
      return { now, changed: new Map(places.map(([n, text]) => [known[n]?.key ?? "", text === "" ? null : documentIn(text, now)])) };
    },
  };

  async function readTogether(keys: readonly string[]): Promise<{ now: number; documents: Documents }> {
    // Both commands are sent together, in one round trip, and MGET reads all documents at one moment.
    const askedAt = clock.asking();
    const [said, reply] = await Promise.all([clock.now(), keys.length === 0 ? [] : connection.command("mget", keys.map(layout.document))]);
    const now = clock.heard(said, askedAt);
    const found = listOf(reply);
    return { now, documents: new Map(keys.map((key, n) => [key, documentIn(found[n], now)])) };
  }

  function see(shard: string, presented: LastSeen | undefined, { commit, mark, rolledBack, now }: CommitReply): void {
    const last = lastSeen.get(shard);
    if (rolledBack) {
      // Other pending commits presented the same commit, but one loss is reported only once.
      if (last !== presented) return;
      lastSeen.delete(shard);
      if (mark !== undefined) lastSeen.set(shard, { commit, mark, at: now });
      // The server that has taken over may have a clock that is behind.
      onRollback(shard, Math.min(presented?.at ?? now, now));
    } else if (mark !== undefined && commit > (last?.commit ?? 0)) {
      lastSeen.set(shard, { commit, mark, at: now });
    }
  }
}

/** Reads a document in the format of `RedisKeys.document`. */
function documentIn(stored: unknown, now: number): StoredDocument | null {
  if (stored === null) return null;
  const text = textIn(stored);
  const expiry = text.slice(32, 58).trim();
  if (expiry !== "" && isExpired(Number(expiry), now)) return null;
  const value: Json = JSON.parse(text.slice(DOCUMENT_HEAD));
  return { version: Number(text.slice(0, 16)), value };
}

function replyOf([outcome, now, commit, mark, lost]: readonly unknown[], heard: (now: number) => number): CommitReply {
  return {
    outcome: outcomeOf(outcome),
    now: heard(Number(textIn(now))),
    commit: Number(textIn(commit)),
    ...(mark === "" ? {} : { mark: textIn(mark) }),
    ...(lost === 1 ? { rolledBack: true } : {}),
  };
}

function outcomeOf(outcome: unknown): CommitReply["outcome"] {
  if (outcome === "ok" || outcome === "stale" || outcome === "late") return outcome;
  throw new TypeError(`Redis answered a commit with "${textIn(outcome).slice(0, 40)}".`);
}
