import { describeProblems, FIRST_ERA, HOME_SHARD, keys, parsePin, type Pin, type Registration } from "@toolbus/contracts";
import type { StateStore, StoredDocument } from "@toolbus/state";
import type { Log } from "@toolbus/telemetry";
import { readRegistry } from "@toolbus/tool-kit";
import { auditedPin } from "./audit.ts";
import type { Eras } from "./eras.ts";
import { grantedBeside, pinVerdict, standsBeside } from "./pin-rules.ts";

/** The definitions that approvals grants, by tool name, and the era that grants are good for. */
export interface Pins {
  /**
   * The pin of this tool and the era, as they are stored now: the pin of this very definition where there is one (another version may be pinned
   * beside), otherwise the tool's. With first sight on, a definition that nobody pinned yet is looked for first.
   */
  find(tool: string, hash: string): Promise<{ readonly pin: Pin | null; readonly era: number }>;
  /** With first sight on: pins what is registered and unknown, or changed and no less guarded. Otherwise it does nothing. */
  sight(): Promise<void>;
}

export interface PinsOptions {
  readonly state: StateStore;
  readonly eras: Pick<Eras, "seen">;
  readonly log: Log;
  readonly firstSight: boolean;
}

export function createPins({ state, eras, log, firstSight }: PinsOptions): Pins {
  // A pin is parsed once a version: its schemas are compiled once an object, and a compiled schema is never let go.
  const parsed = new Map<string, StoredPin>();
  // What was refused is said once a definition, not once a request.
  const told = new Set<string>();
  return {
    async find(tool, hash) {
      const found = await granted(tool, hash);
      if (!firstSight || found.pin?.hash === hash) return found;
      await sight(tool);
      return granted(tool, hash);
    },
    async sight() {
      if (firstSight) await sight();
    },
  };

  async function granted(tool: string, hash: string): Promise<{ readonly pin: Pin | null; readonly era: number }> {
    const { pin, era, besides } = await stored(tool, [hash]);
    const beside = besides[0]?.pin ?? null;
    const counts = pin && beside && pin.hash !== hash && beside.hash === hash && standsBeside(pin, beside);
    return { pin: counts ? beside : pin, era };
  }

  /** The tool's pin, the era, and the pins of other definitions beside it. Version 0: there is no document. */
  async function stored(
    tool: string,
    hashes: readonly string[] = [],
  ): Promise<StoredPin & { readonly era: number; readonly besides: readonly StoredPin[] }> {
    const pinKeys = [keys.pin(tool), ...hashes.map((hash) => keys.pinBeside(tool, hash))];
    const { documents } = await state.read([...pinKeys, keys.era()]);
    const era = eras.seen(documents.at(-1) ?? null);
    const [main, ...besides] = pinKeys.map((key, i) => pinIn(key, documents[i] ?? null));
    return { ...(main ?? NO_PIN), besides, era: era?.era ?? FIRST_ERA };
  }

  function pinIn(key: string, document: StoredDocument | null): StoredPin {
    if (!document) return NO_PIN;
    const { version, value } = document;
    const cached = parsed.get(key);
    if (cached?.version === version) return cached;
    const result = parsePin(value);
    if (!result.ok) log.error({ key, fault: describeProblems(result.problems) }, "a pin is damaged; its tool gets no grants");
    const made: StoredPin = { version, pin: result.ok ? result.value : null };
    parsed.set(key, made);
    return made;
  }

  async function sight(only?: string): Promise<void> {
    const writes = (await readRegistry(state, log)).filter(({ definition }) => definition.kind === "write");
    const byName = Map.groupBy(writes, ({ definition }) => definition.name);
    for (const [tool, registered] of byName) {
      if (only !== undefined && tool !== only) continue;
      const { pin, version } = await stored(tool);
      // A damaged pin is an operator's: first sight never writes over it.
      if (!pin && version > 0) continue;
      const verdict = pinVerdict(pin, registered);
      if (verdict.kind === "operator" && !told.has(`${tool} ${verdict.reason}`)) {
        told.add(`${tool} ${verdict.reason}`);
        log.warn({ tool, reason: verdict.reason }, "a changed write guards less than the pinned one; it waits for an operator");
      }
      if (verdict.kind === "pin") await pinIt(keys.pin(tool), verdict, version);
      await pinBesides(tool, registered);
    }
  }

  async function pinBesides(tool: string, registered: readonly Registration[]): Promise<void> {
    const hashes = registered.map(({ hash }) => hash);
    const { pin, besides } = await stored(tool, hashes);
    if (!pin) return;
    for (const registration of grantedBeside(pin, registered)) {
      const { version } = besides[hashes.indexOf(registration.hash)] ?? NO_PIN;
      if (version === 0) await pinIt(keys.pinBeside(tool, registration.hash), registration, version);
    }
  }

  async function pinIt(
    key: string,
    { toolset, definition, hash }: Pick<Pin, "toolset" | "definition" | "hash">,
    version: number,
  ): Promise<void> {
    const { now } = await state.read([key]);
    const pin: Pin = { toolset, definition, hash, enabled: true, pinnedAt: now, pinnedBy: "first_sight" };
    const reply = await state.commit(HOME_SHARD, {
      op: `pin:${definition.name}:${toolset}:${hash}`,
      guards: [{ key, version }],
      put: [{ key, value: pin }],
      append: [{ log: keys.audit(HOME_SHARD), entries: [auditedPin(pin)] }],
    });
    // Stale: another replica pinned meanwhile, and the pin that stands is the one that counts.
    if (reply.outcome === "ok")
      log.info(
        { tool: definition.name, version: definition.version, toolset, hash, tier: definition.risk.tier },
        "a write is pinned at first sight",
      );
  }
}

interface StoredPin {
  readonly version: number;
  /** Null when there is none, or it is damaged. */
  readonly pin: Pin | null;
}

const NO_PIN: StoredPin = { version: 0, pin: null };
