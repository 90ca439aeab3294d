import { describeProblems, type Era, FIRST_ERA, HOME_SHARD, isHeld, keys, parseEra, shardName } from "@toolbus/contracts";
import { HttpProblem } from "@toolbus/runtime";
import { commitRepeatedly, type StoredDocument, type StoreLosses } from "@toolbus/state";
import type { Log } from "@toolbus/telemetry";
import { auditedEra } from "../machine/audit.ts";
import { type Losses, noteLosses, raised, resumed } from "./era.ts";
import type { SealedStore } from "../sealed/sealed-store.ts";

export interface EraNow {
  readonly era: Era | null;
  /** The store's clock. */
  readonly now: number;
}

/** The document of the era. Only approvals writes it. Each method throws `StoreUnavailable` if the store is not available. */
export interface Eras {
  read(): Promise<EraNow>;
  /**
   * Checks an era that was read elsewhere. If it is older than an era that was read before, the store has lost the newer one. Rejects if the era is
   * damaged or if approvals did not sign it. The era exists to void grants, so approvals grants nothing without a valid one.
   */
  seen(document: StoredDocument | null): Promise<Era | null>;
  /**
   * Raises the era for these losses. Returns the time after which the rest has to be reported again, and the shards that this sender reported too
   * often. The time is 0 when nothing is left to report.
   */
  lost(losses: Losses, by: string): Promise<{ readonly waitMs: number; readonly refused: readonly string[] }>;
  /** Raises the era from the named one, and holds every shard if `hold` is true. Returns null if the era has changed in the meantime. */
  raise(request: { readonly from: number; readonly reason: string; readonly hold: boolean; readonly by: string }): Promise<EraNow | null>;
  /**
   * Raises the era over an invalid document. Holds every shard, because nobody knows which shards were held. Returns null if the document is valid.
   */
  replace(request: { readonly reason: string; readonly by: string }): Promise<EraNow | null>;
  /** Resumes the writes of these shards, or of all held shards if `shards` is null. */
  resume(request: { readonly shards: readonly string[] | null; readonly by: string }): Promise<EraNow>;
}

/**
 * The stored era is damaged, or approvals did not sign it. Every route answers with this problem, because an operator has to handle it and it is no fault
 * of the service.
 */
export class EraRefused extends HttpProblem {
  constructor(detail: string) {
    super("conflict", detail, {
      remedy:
        'If approvals runs with another APPROVALS_KEY_FILE than before, give it the former one. Otherwise check the era with "toolbus approvals adopt", or replace it by raising the era with replace.',
    });
  }
}

export interface ErasOptions {
  readonly sealed: SealedStore;
  readonly losses: StoreLosses | undefined;
  /** The time after which held shards resume automatically, in milliseconds. 0 means never. */
  readonly resumeAfterMs: number;
  readonly newId: () => string;
  readonly log: Log;
}

/** The era to store, the audit's event for it, and the answer. The era is null if nothing changes. */
interface Decided<T> {
  readonly era: Era | null;
  readonly event: "era_raised" | "writes_resumed";
  readonly shards: readonly string[];
  readonly answer: T;
}

export function createEras({ sealed, losses, resumeAfterMs, newId, log }: ErasOptions): Eras {
  const { store: state } = sealed;
  let highest: Era | null = null;
  let looking = false;
  return {
    async read() {
      const { now, documents } = await state.read([keys.era()]);
      return { now, era: await seen(documents[0] ?? null) };
    },
    seen,
    async lost(reported, by) {
      return change(by, (before, now) => {
        const { era, shards, refused, waitMs } = noteLosses(before, reported, { now, by, resumeAfterMs, highest: highest?.era });
        return { era, event: "era_raised", shards, answer: { waitMs, refused } };
      });
    },
    async raise({ from, reason, hold, by }) {
      return change<EraNow | null>(by, (before, now) => {
        const shards = hold ? allShards() : [];
        if ((before?.era ?? FIRST_ERA) !== from) return { era: null, event: "era_raised", shards, answer: null };
        const held = shards.map((shard) => ({ shard, lostAt: now }));
        const era = raised(before, { now, reason, held, highest: highest?.era });
        return { era, event: "era_raised", shards, answer: { era, now } };
      });
    },
    async replace({ reason, by }) {
      const shards = allShards();
      return change<EraNow | null>(
        by,
        (before, now) => {
          if (before !== "refused") return { era: null, event: "era_raised", shards, answer: null };
          // The number follows the clock and is above every era that this process has seen, so that no earlier era is used again.
          const era = raised(highest, { now, reason, held: shards.map((shard) => ({ shard, lostAt: now })) });
          return { era, event: "era_raised", shards, answer: { era, now } };
        },
        seenOrRefused,
      );
    },
    async resume({ shards, by }) {
      return change(by, (before, now) => {
        const done = resumed(before, { shards, by, now });
        return { era: done?.era ?? null, event: "writes_resumed", shards: done?.shards ?? [], answer: { era: done?.era ?? before, now } };
      });
    },
  };

  function allShards(): readonly string[] {
    return Array.from({ length: state.shards }, (_, n) => shardName(n));
  }

  async function seenOrRefused(document: StoredDocument | null): Promise<Era | null | "refused"> {
    try {
      return await seen(document);
    } catch (error) {
      if (error instanceof EraRefused) return "refused";
      throw error;
    }
  }

  async function seen(document: StoredDocument | null): Promise<Era | null> {
    const era = await eraIn(document);
    if (highest && isOlder(era, highest)) void lookAgain(highest);
    else highest = era;
    return era;
  }

  /** Reads the era again before it reports a loss, because replies may overtake each other. Only the answer to a later request proves the loss. */
  async function lookAgain(newer: Era): Promise<void> {
    if (!losses || looking) return;
    looking = true;
    try {
      const { now, documents } = await state.read([keys.era()]);
      if (!isOlder(await eraIn(documents[0] ?? null), newer)) return;
      // The lost document also listed the held shards, so these shards are reported again.
      const held = (newer.lost ?? []).filter(({ shard }) => isHeld(newer, shard, { now }));
      for (const shard of new Set([HOME_SHARD, ...held.map((one) => one.shard)])) losses.onRollback(shard, newer.raisedAt);
    } catch (error) {
      log.warn({ error }, "an older era was read than before; the store could not be read again");
    } finally {
      looking = false;
    }
  }

  async function eraIn(document: StoredDocument | null): Promise<Era | null> {
    if (document === null) return null;
    const opened = await sealed.open(keys.era(), document);
    // Approvals signed the older era, so its content can be read. Its number shows what has to be done.
    const value = opened.kind === "genuine" ? opened.value : opened.kind === "refused" && opened.why === "older" ? document.value : null;
    if (value === null) throw new EraRefused("The stored era is not what approvals signed, so no write is granted.");
    const known = parseEra(value);
    if (!known.ok) throw new EraRefused(`The stored era is damaged: ${describeProblems(known.problems)}.`);
    return known.value;
  }

  async function change<T>(by: string, decide: (before: Era | null, now: number) => Decided<T>): Promise<T>;
  async function change<T>(
    by: string,
    decide: (before: Era | null | "refused", now: number) => Decided<T>,
    look: (document: StoredDocument | null) => Promise<Era | null | "refused">,
  ): Promise<T>;
  async function change<T, B extends Era | null | "refused">(
    by: string,
    decide: (before: B, now: number) => Decided<T>,
    look: (document: StoredDocument | null) => Promise<Era | null | "refused"> = seen,
  ): Promise<T> {
    const key = keys.era();
    const op = `era:${newId()}`;
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const { now, documents } = await state.read([key]);
      const { era, event, shards, answer } = decide((await look(documents[0] ?? null)) as B, now);
      if (era === null) return answer;
      const reply = await commitRepeatedly(state, HOME_SHARD, {
        op: `${op}:${attempt}`,
        guards: [{ key, version: documents[0]?.version ?? 0 }],
        put: [{ key, value: era }],
        append: [{ log: keys.audit(HOME_SHARD), entries: [auditedEra(event, { era, shards, by, at: now })] }],
      });
      if (reply.outcome !== "ok") continue;
      highest = era;
      log.warn({ era: era.era, shards, by }, event === "era_raised" ? `the era was raised: ${era.reason}` : "held writes were resumed");
      return answer;
    }
    throw new Error("The era was not stored: it changed too often at the same time.");
  }
}

const MAX_ATTEMPTS = 5;

function isOlder(era: Era | null, than: Era): boolean {
  return (era?.era ?? FIRST_ERA) < than.era;
}
