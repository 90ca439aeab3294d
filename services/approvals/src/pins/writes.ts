import {
  atLeast,
  definitionFault,
  keys,
  MCP_TOOLSET,
  mcpServerOf,
  namesCollide,
  type Pin,
  quarantineSentence,
  type Registration,
  type WriteEnable,
  type WriteSummary,
  type WriteTier,
  type WriteView,
} from "@toolbus/contracts";
import type { TrustedKeys } from "@toolbus/grants";
import type { StateStore } from "@toolbus/state";
import type { Log } from "@toolbus/telemetry";
import { type DefinitionPace, readRegistry } from "@toolbus/tool-kit";
import type { PinEvent } from "../machine/audit.ts";
import { pinnedTier, weakerThan } from "./pin-rules.ts";
import type { PinStore, StoredPin } from "./pin-store.ts";
import { besidePut } from "./pins.ts";
import { receiptKeysOf } from "./receipt-keys.ts";
import { enabledSummary, registeredOf, type Standing, UNKNOWN_GUARDS } from "./write-views.ts";

/** Shows writes to operators and applies their decisions. The audit records each decision with the operator's name. A repeat changes nothing. */
export interface Writes {
  /** Returns every registered write. With the name of an MCP server, returns only the writes of this server, with their definitions. */
  list(server?: string): Promise<readonly WriteSummary[]>;
  /** Returns one write, or null if no write of this name is registered or enabled. */
  show(tool: string): Promise<WriteView | null>;
  /** Enables exactly this definition. */
  enable(tool: string, wanted: WriteEnable, by: string): Promise<WriteOutcome>;
  disable(tool: string, by: string): Promise<WriteOutcome>;
  /** Sets the lowest tier of the tool's calls, never below the definition's own tier. */
  raiseTier(tool: string, wanted: WriteTier, by: string): Promise<WriteOutcome>;
}

export type WriteOutcome = { readonly kind: "done" } | WriteRefused;

export interface WriteRefused {
  readonly kind: "no";
  readonly why: "not_enabled" | "not_registered" | "quarantined" | "weaker" | "too_low" | "keys_changed" | "damaged";
  readonly reason: string;
}

export interface WritesOptions {
  readonly state: StateStore;
  readonly store: PinStore;
  readonly trusted: TrustedKeys;
  readonly newId: () => string;
  readonly log: Log;
  readonly pace: DefinitionPace;
}

/** The pin to write in place of the current one, or an outcome that writes nothing. */
type Decided = { readonly kind: "pin"; readonly pin: Pin } | WriteOutcome;

interface Now {
  readonly now: number;
  readonly by: string;
}

export function createWrites({ state, store, trusted, newId, log, pace }: WritesOptions): Writes {
  return {
    async list(server) {
      const byTool = Map.groupBy(await registrations(), ({ definition }) => definition.name);
      const wanted = [...byTool].filter(([, registered]) => server === undefined || registered.some((one) => isOfServer(one, server)));
      const all = await Promise.all(wanted.map(([tool, registered]) => standingOf(tool, registered)));
      return all.flatMap((standing) => {
        const enabled = standing.main.pin ? enabledSummary(standing.main.pin) : null;
        return registeredOf(standing)
          .filter((one) => server === undefined || isOfServer(one, server))
          .map(({ definition, changes, ...summary }) => {
            const of = serverOf({ toolset: summary.toolset, definition });
            const whole = server === undefined ? {} : { definition, changes };
            return { ...summary, enabled, ...(of === undefined ? {} : { server: of }), ...whole };
          });
      });
    },
    async show(tool) {
      const standing = await standingOf(tool, await registrations(tool));
      const { pin, fault } = standing.main;
      if (standing.main.version === 0 && standing.registered.length === 0) return null;
      return {
        tool,
        enabled: pin ? { ...enabledSummary(pin), definition: pin.definition } : null,
        damaged: fault,
        registered: [...registeredOf(standing)],
      };
    },
    async enable(tool, wanted, by) {
      const registered = await registrations(tool);
      return decide(tool, by, "tool_enabled", (main, now) => enabled(main, wanted, { registered, now, by }));
    },
    disable: (tool, by) =>
      decide(tool, by, "tool_disabled", ({ pin, fault }, now) => {
        if (!pin) return notEnabled(tool, fault);
        return pin.enabled ? { kind: "pin", pin: { ...pin, enabled: false, pinnedAt: now, pinnedBy: by } } : DONE;
      }),
    raiseTier: (tool, wanted, by) =>
      decide(tool, by, "tool_tier", ({ pin, fault }, now) => (pin ? raised(pin, wanted, { now, by }) : notEnabled(tool, fault))),
  };

  async function registrations(tool?: string): Promise<readonly Registration[]> {
    const all = await readRegistry(state, log, pace);
    return all.filter(({ definition }) => definition.kind === "write" && (tool === undefined || definition.name === tool));
  }

  async function standingOf(tool: string, registered: readonly Registration[]): Promise<Standing> {
    const hashes = registered.map(({ hash }) => hash);
    return { ...(await store.read(tool, hashes)), registered, trusted };
  }

  /** Reads the pin, decides and writes. Repeats this, up to `MAX_ATTEMPTS` times, if somebody changed the pin in between. */
  async function decide(
    tool: string,
    by: string,
    event: PinEvent,
    decision: (main: StoredPin, now: number) => Decided,
  ): Promise<WriteOutcome> {
    const op = `write:${newId()}`;
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const { main, now } = await store.read(tool);
      const decided = decision(main, now);
      if (decided.kind !== "pin") return decided;
      const { pin } = decided;
      const beside = main.pin && event === "tool_enabled" ? await besidePut(store, main.pin, pin) : [];
      const puts = [{ key: keys.pin(tool), version: main.version, pin }, ...beside] as const;
      if (!(await store.write(puts, { event, op: `${op}:${attempt}` }))) continue;
      log.info(
        { tool, version: pin.definition.version, toolset: pin.toolset, hash: pin.hash, by, event },
        "an operator decided about a write",
      );
      return DONE;
    }
    throw new Error(`The pin of "${tool}" was changed by others ${MAX_ATTEMPTS} times in a row.`);
  }

  function enabled(
    { pin: before, fault }: StoredPin,
    { toolset, hash, acceptWeaker = false, receiptKeys: shown }: WriteEnable,
    { registered, now, by }: Now & { readonly registered: readonly Registration[] },
  ): Decided {
    // An operator may enable an enabled definition again after its workers are gone, because the pin contains the definition.
    const known = before?.hash === hash && before.toolset === toolset ? before : null;
    const found = registered.find((one) => one.hash === hash && one.toolset === toolset) ?? known;
    if (!found) return no("not_registered", `No worker of "${toolset}" registers this definition now.`);
    const { definition } = found;
    const quarantined = definitionFault(definition);
    if (quarantined !== null) return no("quarantined", quarantineSentence(definition, quarantined));
    const { keys: receiptKeys } =
      registered.length === 0 && known ? { keys: known.receiptKeys ?? [] } : receiptKeysOf(found, { registered, trusted });
    const kids = receiptKeys.map(({ kid }) => kid);
    if (shown && !isSameSet(shown, kids))
      return no("keys_changed", `The keys of its receipts have changed: ${kids.length === 0 ? "none" : kids.join(", ")}.`);
    const weaker = fault !== null ? UNKNOWN_GUARDS : before ? weakerThan(before, found) : null;
    if (weaker !== null && !acceptWeaker) return no("weaker", `It is less strict than the enabled definition: ${weaker}.`);
    const stands = known?.enabled === true && isSameSet(kids, known.receiptKeys?.map(({ kid }) => kid) ?? []);
    if (stands) return DONE;
    const tier = before?.tier !== undefined && !atLeast(definition.risk.tier, before.tier) ? { tier: before.tier } : {};
    return { kind: "pin", pin: { toolset, definition, hash, enabled: true, pinnedAt: now, pinnedBy: by, ...tier, receiptKeys } };
  }
}

function raised(pin: Pin, { tier, acceptWeaker = false }: WriteTier, { now, by }: Now): Decided {
  const own = pin.definition.risk.tier;
  if (!atLeast(tier, own)) return no("too_low", `Its own definition has the tier "${own}", and a tier can only be raised.`);
  const before = pinnedTier(pin);
  if (tier === before) return DONE;
  if (!atLeast(tier, before) && !acceptWeaker) return no("weaker", `Its tier falls from ${before} to ${tier}.`);
  const { tier: _, ...rest } = pin;
  return { kind: "pin", pin: { ...rest, ...(tier === own ? {} : { tier }), pinnedAt: now, pinnedBy: by } };
}

const DONE: WriteOutcome = { kind: "done" };
const MAX_ATTEMPTS = 5;

function notEnabled(tool: string, fault: StoredPin["fault"]): WriteRefused {
  if (fault === null) return no("not_enabled", `The write "${tool}" was never enabled, so it gets no grants.`);
  return no("damaged", `The stored definition of "${tool}" is not what approvals stored, so it already gets no grants.`);
}

function no(why: WriteRefused["why"], reason: string): WriteRefused {
  return { kind: "no", why, reason };
}

/** Returns the MCP server of a registration. Only the bridge's registrations can belong to one. */
function serverOf({ toolset, definition }: Pick<Registration, "toolset" | "definition">): string | undefined {
  return toolset === MCP_TOOLSET ? mcpServerOf(definition) : undefined;
}

function isOfServer(registration: Registration, server: string): boolean {
  const of = serverOf(registration);
  return of !== undefined && namesCollide(of, server);
}

function isSameSet(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((one) => b.includes(one));
}
