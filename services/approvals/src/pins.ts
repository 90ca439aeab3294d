import { describeProblems, HOME_SHARD, type Json, keys, parseEra, parsePin, type Pin } from "@toolbus/contracts";
import type { StateStore } from "@toolbus/state";
import type { Log } from "@toolbus/telemetry";
import { readRegistry } from "@toolbus/tool-kit";
import { auditedPin } from "./audit.ts";
import { pinVerdict } from "./pin-rules.ts";

/** The definitions that approvals grants, by tool name, and the era that grants are good for. */
export interface Pins {
  /** The pin of this tool and the era, as they are stored now. With first sight on, a definition that nobody pinned yet is looked for first. */
  find(tool: string, hash: string): Promise<{ readonly pin: Pin | null; readonly era: number }>;
  /** With first sight on: pins what is registered and unknown, or changed and no less guarded. Otherwise it does nothing. */
  sight(): Promise<void>;
}

export interface PinsOptions {
  readonly state: StateStore;
  readonly log: Log;
  readonly firstSight: boolean;
}

export function createPins({ state, log, firstSight }: PinsOptions): Pins {
  // A pin is parsed once a version: its schemas are compiled once an object, and a compiled schema is never let go.
  const parsed = new Map<string, { readonly version: number; readonly pin: Pin | null }>();
  // What was refused is said once a definition, not once a request.
  const told = new Set<string>();
  return {
    async find(tool, hash) {
      const found = await stored(tool);
      if (!firstSight || found.pin?.hash === hash) return found;
      await sight(tool);
      return stored(tool);
    },
    async sight() {
      if (firstSight) await sight();
    },
  };

  async function stored(tool: string): Promise<{ readonly pin: Pin | null; readonly era: number; readonly version: number }> {
    const { documents } = await state.read([keys.pin(tool), keys.era()]);
    const [pin, era] = documents;
    const known = parseEra(era?.value);
    if (era && !known.ok) throw new Error(`The stored era is damaged: ${describeProblems(known.problems)}.`);
    return { pin: pin ? parsedPin(tool, pin.version, pin.value) : null, era: known.ok ? known.value.era : 1, version: pin?.version ?? 0 };
  }

  function parsedPin(tool: string, version: number, value: Json): Pin | null {
    const cached = parsed.get(tool);
    if (cached?.version === version) return cached.pin;
    const result = parsePin(value);
    if (!result.ok) log.error({ tool, fault: describeProblems(result.problems) }, "a pin is damaged; its tool gets no grants");
    const pin = result.ok ? result.value : null;
    parsed.set(tool, { version, pin });
    return pin;
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
      if (verdict.kind === "pin") await pinIt(verdict, version);
    }
  }

  async function pinIt({ toolset, definition, hash }: Omit<Pin, "enabled" | "pinnedAt" | "pinnedBy">, version: number): Promise<void> {
    const key = keys.pin(definition.name);
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
      log.info({ tool: definition.name, toolset, hash, tier: definition.risk.tier }, "a write is pinned at first sight");
  }
}
