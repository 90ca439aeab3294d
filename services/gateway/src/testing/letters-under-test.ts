import { indexedLetter, type Json, keys, type KeptLetter, parseKeptLetter, shardOf } from "@toolbus/contracts";
import type { StateStore } from "@toolbus/state";

/** Writes what the worker of operations writes, one commit at a time, when the test says so. */
export interface LettersByHand {
  /** Stores a dead letter of the tenant acme, with another id at each call, and returns that id. */
  keep(part?: Partial<KeptLetter>): Promise<string>;
  /** Records that a dead letter was replayed. */
  replayed(letterId: string): Promise<void>;
  /** Removes a dead letter from the store, as its expiry does. The dead letter stays in the lists. */
  expire(letterId: string): Promise<void>;
}

export function lettersByHand(store: StateStore): LettersByHand {
  let made = 0;
  const read = async (letterId: string): Promise<{ readonly letter: KeptLetter; readonly version: number }> => {
    const { documents } = await store.read([keys.deadLetter(letterId)]);
    const parsed = parseKeptLetter(documents[0]?.value);
    if (!parsed.ok) throw new Error(`${letterId} is not kept.`);
    return { letter: parsed.value, version: documents[0]?.version ?? 0 };
  };
  return {
    async keep(part = {}) {
      const { now } = await store.read([]);
      const letter: KeptLetter = {
        letterId: `dl_05_${String(++made).padStart(26, "0")}`,
        queue: "run.wake",
        reason: "the body breaks its schema",
        deliveries: 1,
        history: [],
        message: {
          id: `wake:${made}`,
          topic: "run.wake",
          type: "toolbus.run.wake",
          source: "/test",
          time: "2027-01-15T08:00:00.000Z",
          attributes: {},
          body: "{}",
        },
        cut: false,
        unreadable: false,
        tenant: "acme",
        replayBy: { kind: "publish" },
        keptAt: now,
        expiresAt: now + 30 * 86_400_000,
        replayed: null,
        ...part,
      };
      const key = keys.deadLetter(letter.letterId);
      await store.commit(shardOf(letter.letterId), {
        op: `keep:${letter.letterId}`,
        guards: [{ key, version: 0 }],
        put: [{ key, value: letter as unknown as Json, expiresAt: letter.expiresAt }],
        index: [keys.deadLetters(), keys.deadLetters(letter.queue)].map((index) => ({
          index,
          member: indexedLetter(letter),
          score: letter.keptAt,
        })),
      });
      return letter.letterId;
    },
    async replayed(letterId) {
      const { letter, version } = await read(letterId);
      const key = keys.deadLetter(letterId);
      const value: KeptLetter = { ...letter, replayed: { at: letter.keptAt + 1, by: "otto", messageId: `${letter.message.id}#replay1` } };
      await store.commit(shardOf(letterId), { op: `replayed:${letterId}`, guards: [{ key, version }], put: [{ key, value }] });
    },
    async expire(letterId) {
      const { version } = await read(letterId);
      const key = keys.deadLetter(letterId);
      await store.commit(shardOf(letterId), { op: `expire:${letterId}`, guards: [{ key, version }], remove: [key] });
    },
  };
}
