import {
  type Approval,
  HOME_SHARD,
  isApprovalId,
  isJsonObject,
  type Json,
  keys,
  parseApproval,
  shardName,
  shardOf,
  tenantOfChain,
} from "@toolbus/contracts";
import type { Log } from "@toolbus/telemetry";
import { readRegistry } from "@toolbus/tool-kit";
import { isShardOf } from "./approval-documents.ts";
import { pagesFromEnd, writtenAt } from "./log-tail.ts";
import type { ReadDocument, SealedStore } from "./sealed-store.ts";
import { PIN_EVENTS } from "../machine/audit.ts";
import { FINISHED_KEPT_MS } from "../settings.ts";

/** The documents of approvals that were sealed or signed with a key other than the current one. */
export interface Seals {
  /** Returns how many such documents are stored. */
  left(): Promise<number>;
  /**
   * Seals or signs these documents again. Returns how many it wrote, and how many are left. A document is left if it could not be opened, or if
   * others changed it at each attempt. A document that somebody else sealed with the current key in the meantime is in neither number.
   */
  again(by: string): Promise<{ readonly resealed: number; readonly left: number }>;
}

/** How often a document is sealed again if others change it at the same time. */
const ATTEMPTS = 5;

interface Older {
  readonly document: ReadDocument;
  readonly now: number;
}

/**
 * Checks approvals, pins, the era, the probe of approvals' keys and the ends of the audit's chains. The audit names every approval and every pin, also
 * the pin of a write that is not registered at the moment. Decision tokens, counts and the lists of waiting writes are left out, because they expire.
 * So an old seal key has to stay for `OLD_SEALS_MS`.
 */
export function createSeals({ sealed, log }: { readonly sealed: SealedStore; readonly log: Log }): Seals {
  const { store: state } = sealed;
  return {
    async left() {
      let count = 0;
      for await (const _ of older()) count++;
      return count;
    },
    async again(by) {
      let [resealed, left] = [0, 0];
      for await (const read of older()) {
        const outcome = await resealOne(read);
        if (outcome === "resealed") resealed++;
        else if (outcome === "left") left++;
      }
      log.info({ by, resealed, left }, "documents were sealed again with the current key");
      return { resealed, left };
    },
  };

  async function* older(): AsyncGenerator<Older, void> {
    for await (const names of pagesOfKeys()) {
      const { now, documents } = await sealed.read(names);
      for (const document of documents) if (sealed.isOfOlderKey(document)) yield { document, now };
    }
  }

  async function resealOne({ document, now }: Older): Promise<"resealed" | "current" | "left"> {
    for (let attempt = 1; ; attempt++) {
      if (await writeAgain(document, now)) return "resealed";
      const again = await sealed.read([document.key]);
      const [found] = again.documents;
      if (!found || !sealed.isOfOlderKey(found)) return "current";
      if (attempt === ATTEMPTS) return "left";
      [document, now] = [found, again.now];
    }
  }

  async function writeAgain({ key, opened }: ReadDocument, now: number): Promise<boolean> {
    if (opened.kind !== "genuine") return false;
    const { version, value } = opened;
    const approval = key.startsWith("tb:approval:") ? parseApproval(value) : null;
    const reply = await state.commit(/\{(..)\}/.exec(key)?.[1] ?? HOME_SHARD, {
      op: `reseal:${version}:${key}`,
      guards: [{ key, version }],
      put: [{ key, value, ...(approval?.ok ? keptFor(approval.value, now) : {}) }],
    });
    return reply.outcome === "ok";
  }

  async function* pagesOfKeys(): AsyncGenerator<readonly string[], void> {
    const writes = (await readRegistry(state, log)).filter(({ definition }) => definition.kind === "write");
    const pins = new Set(writes.flatMap(({ definition: { name }, hash }) => [keys.pin(name), keys.pinBeside(name, hash)]));
    yield [...pins, keys.era(), keys.keyProbe()];
    yield* pagesOfOtherPins(pins);
    yield Array.from({ length: state.shards }, (_, n) => keys.auditPosition(shardName(n)));
    for await (const chains of pagesOfChains()) yield chains.map((name) => keys.auditHead(tenantOfChain(name)));
    const { now } = await state.read([keys.era()]);
    for (let n = 0; n < state.shards; n++) {
      const seen = new Set<string>();
      for await (const entries of pagesFromEnd(state, keys.audit(shardName(n)))) {
        const fresh = entries.flatMap(({ value }) => approvalIn(value) ?? []).filter((id) => !seen.has(id));
        fresh.forEach((id) => seen.add(id));
        if (fresh.length > 0) yield [...new Set(fresh)].map((id) => keys.approval(id));
        // An older approval is finished and expires automatically.
        if (entries.some(({ value }) => now - (writtenAt(value) ?? now) > FINISHED_KEPT_MS)) break;
      }
    }
  }

  /**
   * Yields the pins that are not in `known`. Pins are kept for ever, so it reads the whole chain of the records without a tenant. That chain is short
   * compared with the log of a shard, which also has the records of approvals. The newest page of that log has what was not chained yet.
   */
  async function* pagesOfOtherPins(known: Set<string>): AsyncGenerator<readonly string[], void> {
    const fresh = (records: readonly (Json | undefined)[]): readonly string[] => {
      const found = [...new Set(records.flatMap(pinsIn))].filter((key) => !known.has(key));
      found.forEach((key) => known.add(key));
      return found;
    };
    for await (const entries of pagesFromEnd(state, keys.audit(HOME_SHARD))) {
      yield fresh(entries.map(({ value }) => value));
      break;
    }
    for await (const entries of pagesFromEnd(state, keys.auditChain(null)))
      yield fresh(entries.map(({ value }) => (isJsonObject(value) ? value["record"] : undefined)));
  }

  async function* pagesOfChains(): AsyncGenerator<readonly string[], void> {
    let cursor: string | undefined;
    do {
      const page = await state.page(keys.auditChains(), { limit: 100, ...(cursor === undefined ? {} : { cursor }) });
      if (page.members.length > 0) yield page.members.map(({ member }) => member);
      cursor = page.cursor;
    } while (cursor !== undefined);
  }

  function approvalIn(value: Json): string | null {
    const id = typeof value === "object" && value !== null && "approvalId" in value ? value["approvalId"] : null;
    return typeof id === "string" && isApprovalId(id) && isShardOf(state, shardOf(id)) ? id : null;
  }
}

/** Returns the names of the pins that a record of the audit is about. */
function pinsIn(record: Json | undefined): readonly string[] {
  if (record === undefined || !isJsonObject(record)) return [];
  const { event, tool, toolHash } = record;
  if (typeof tool !== "string" || typeof toolHash !== "string" || !PIN_EVENTS.some((one) => one === event)) return [];
  return [keys.pin(tool), keys.pinBeside(tool, toolHash)];
}

function keptFor({ status }: Approval, now: number): { readonly expiresAt?: number } {
  return status === "pending" ? {} : { expiresAt: now + FINISHED_KEPT_MS };
}
