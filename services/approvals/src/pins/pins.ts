import { definitionFault, FIRST_ERA, isForeign, keys, type Pin, quarantineSentence, type Registration } from "@toolbus/contracts";
import type { TrustedKeys } from "@toolbus/grants";
import type { Log } from "@toolbus/telemetry";
import { type DefinitionPace, readRegistry } from "@toolbus/tool-kit";
import type { EnabledTools } from "./enabled-tools.ts";
import type { Eras } from "../eras/eras.ts";
import { grantedBeside, pinVerdict, standsBeside } from "./pin-rules.ts";
import { NO_PIN, type PinPut, type PinStore, type StoredPin } from "./pin-store.ts";
import { answerFault, arePinned, receiptKeysOf } from "./receipt-keys.ts";
import type { SealedStore } from "../sealed/sealed-store.ts";

/** The definitions that approvals grants, by tool name, and the era that grants are valid for. */
export interface Pins {
  /**
   * Reads the era and the pin. The pin is the one of exactly this definition if there is one, because another version may be pinned beside the tool's
   * pin. Otherwise it is the tool's pin. If the definition may be pinned automatically and is not pinned yet, it is pinned first.
   */
  find(tool: string, hash: string): Promise<{ readonly pin: Pin | null; readonly era: number }>;
  /** Returns why nobody could learn the outcome of a write of this pin, in words for the model, or null (`receipt-keys.ts`). */
  answerFault(pin: Pin): Promise<string | null>;
  /**
   * Pins the definitions that may be pinned automatically. The file of enabled tools names some of them. With PIN_ON_FIRST_SIGHT, every registered
   * definition that is unknown, or changed and no less strict, may be pinned too, except those of external servers. An operator's decision is never
   * replaced. Without a file and the setting, this does nothing.
   */
  sight(): Promise<void>;
}

export interface PinsOptions {
  readonly sealed: SealedStore;
  readonly store: PinStore;
  readonly eras: Pick<Eras, "seen">;
  readonly trusted: TrustedKeys;
  readonly log: Log;
  readonly pace: DefinitionPace;
  readonly firstSight: boolean;
  /** The definitions that an operator enabled by a file. */
  readonly listed: EnabledTools;
}

export function createPins({ sealed, store, eras, trusted, log, firstSight, listed, pace }: PinsOptions): Pins {
  const byItself = firstSight || listed.size > 0;
  // A refusal is logged once per definition, not once per request.
  const reported = new Set<string>();
  return {
    async find(tool, hash) {
      const found = await granted(tool, hash);
      if (found.pin?.hash === hash || !(firstSight || listed.names(tool, hash))) return found;
      await sight(tool);
      return granted(tool, hash);
    },
    async answerFault(pin) {
      const fault = await faultOf(pin);
      if (fault === null || !byItself) return fault;
      // An automatic pin gets the new key of its worker, perhaps a moment later than this request came.
      const { name } = pin.definition;
      await sight(name);
      const { pin: now } = await granted(name, pin.hash);
      return now?.hash === pin.hash ? faultOf(now) : fault;
    },
    async sight() {
      if (byItself) await sight();
    },
  };

  async function granted(tool: string, hash: string): Promise<{ readonly pin: Pin | null; readonly era: number }> {
    const { documents } = await sealed.read([keys.pin(tool), keys.pinBeside(tool, hash), keys.era()]);
    const era = (await eras.seen(documents[2]?.stored ?? null))?.era ?? FIRST_ERA;
    const { pin } = store.of(documents[0]);
    if (!pin || pin.hash === hash) return { pin, era };
    const { pin: beside } = store.of(documents[1]);
    if (beside?.hash !== hash || !standsBeside(pin, beside)) return { pin, era };
    // The operator raised the tier of the tool, not of one of its versions.
    const { tier: _, ...own } = beside;
    return { pin: pin.tier === undefined ? own : { ...own, tier: pin.tier }, era };
  }

  async function faultOf(pin: Pin): Promise<string | null> {
    return answerFault(pin, { registered: await readRegistry(sealed.store, log, pace), trusted });
  }

  async function sight(only?: string): Promise<void> {
    const writes = (await readRegistry(sealed.store, log, pace)).filter(({ definition }) => definition.kind === "write");
    const allowed = writes.filter(
      ({ definition, toolset, hash }) =>
        ((firstSight && !isForeign(definition)) || listed.has({ tool: definition.name, toolset, hash })) && isSound(definition, hash),
    );
    for (const [tool, registered] of Map.groupBy(allowed, ({ definition }) => definition.name)) {
      if (only !== undefined && tool !== only) continue;
      const { main, now } = await store.read(tool);
      // Only an operator may replace a pin that is not valid.
      if (main.fault !== null) continue;
      await sightOne(tool, { main, registered, now });
      await pinBesides(tool, registered);
    }
  }

  function isSound(definition: Registration["definition"], hash: string): boolean {
    const fault = definitionFault(definition);
    if (fault !== null) logOnce(definition.name, hash, quarantineSentence(definition, fault));
    return fault === null;
  }

  async function sightOne(
    tool: string,
    { main, registered, now }: { readonly main: StoredPin; readonly registered: readonly Registration[]; readonly now: number },
  ): Promise<void> {
    const { pin } = main;
    const verdict = pinVerdict(pin, registered);
    if (verdict.kind === "keep") return pin ? renewKeys(main, pin, { registered, now }) : undefined;
    const { toolset, definition, hash } = verdict;
    const inFile = listed.has({ tool, toolset, hash });
    if (pin && isOperators(pin))
      return logOnce(tool, hash, "the definition that an operator enabled stays; the changed one waits for an operator");
    if (verdict.kind === "operator" && !inFile)
      return logOnce(tool, hash, `a changed write is less strict than the pinned one: ${verdict.reason}; it waits for an operator`);
    const { keys: receiptKeys } = receiptKeysOf({ toolset, hash }, { registered, trusted });
    const next: Pin = {
      toolset,
      definition,
      hash,
      enabled: true,
      pinnedAt: now,
      pinnedBy: firstSight && !isForeign(definition) ? "first_sight" : "file",
      receiptKeys,
    };
    // If the commit is stale, another replica pinned a definition in the meantime, and its pin stays.
    const op = `pin:${tool}:${toolset}:${hash}:${main.version}`;
    const kept = pin ? await besidePut(store, pin, next) : [];
    if (await store.write([{ key: keys.pin(tool), version: main.version, pin: next }, ...kept], { event: "pinned", op }))
      // PIN_ON_FIRST_SIGHT is meant for the machine of one owner. With level info, every start there would begin with these lines.
      log[next.pinnedBy === "first_sight" ? "debug" : "info"](
        { tool, version: definition.version, toolset, hash, tier: definition.risk.tier, by: next.pinnedBy },
        "a write is pinned",
      );
  }

  /** Updates the receipt keys of an automatic pin after the toolset has changed its key. */
  async function renewKeys(
    { version }: StoredPin,
    pin: Pin,
    { registered, now }: { readonly registered: readonly Registration[]; readonly now: number },
  ): Promise<void> {
    const wanted = receiptKeysOf(pin, { registered, trusted });
    if (isOperators(pin) || arePinned(wanted, pin)) return;
    const key = keys.pin(pin.definition.name);
    await store.write([{ key, version, pin: { ...pin, pinnedAt: now, receiptKeys: wanted.keys } }], {
      event: "pinned",
      op: `${key}:keys:${version}`,
    });
  }

  async function pinBesides(tool: string, registered: readonly Registration[]): Promise<void> {
    const hashes = registered.map(({ hash }) => hash);
    const { main, besides, now } = await store.read(tool, hashes);
    const { pin } = main;
    if (!pin) return;
    for (const { toolset, definition, hash } of grantedBeside(pin, registered)) {
      const { version } = besides[hashes.indexOf(hash)] ?? NO_PIN;
      if (version > 0) continue;
      const { pinnedBy, receiptKeys = [] } = pin;
      const beside: Pin = { toolset, definition, hash, enabled: true, pinnedAt: now, pinnedBy, receiptKeys };
      await store.write([{ key: keys.pinBeside(tool, hash), version, pin: beside }], {
        event: "pinned",
        op: `pin:${tool}:${toolset}:${hash}`,
      });
    }
  }

  function logOnce(tool: string, hash: string, words: string): void {
    if (reported.has(`${tool} ${hash}`)) return;
    reported.add(`${tool} ${hash}`);
    log.warn({ tool, hash }, words);
  }
}

/** Returns the write that keeps the earlier pin beside the next one. Returns an empty list if the rules forbid that pin or it already exists. */
export async function besidePut(store: PinStore, before: Pin, next: Pin): Promise<readonly PinPut[]> {
  if (before.hash === next.hash || !before.enabled || !standsBeside(next, before)) return [];
  const tool = next.definition.name;
  const { besides } = await store.read(tool, [before.hash]);
  const { version, pin } = besides[0] ?? NO_PIN;
  if (pin) return [];
  const { toolset, definition, hash } = before;
  const { pinnedAt, pinnedBy, receiptKeys = [] } = next;
  return [{ key: keys.pinBeside(tool, hash), version, pin: { toolset, definition, hash, enabled: true, pinnedAt, pinnedBy, receiptKeys } }];
}

/** Returns whether an operator made this pin. Otherwise approvals made it automatically. */
export function isOperators({ pinnedBy }: Pick<Pin, "pinnedBy">): boolean {
  return pinnedBy !== "file" && pinnedBy !== "first_sight";
}
