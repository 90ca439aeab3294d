import { setTimeout as pause } from "node:timers/promises";
import { type Arena, openArena } from "./arena.ts";
import type { Attack, Expected, Outcome } from "./attack.ts";
import { type Genuine, genuineWrites } from "./genuine.ts";
import type { Effect } from "./payments.ts";
import { RefusedByServer } from "./refused-by-server.ts";
import { type SecurityRecord, securityRecords, type SecurityRecords } from "./security-events.ts";
import type { Broker, Mode, SystemUnderAttack } from "./system.ts";

export interface AttackResult {
  readonly name: string;
  readonly attacker: string;
  readonly mode: Mode;
  readonly broker: Broker;
  readonly expected: string;
  readonly got: string;
  readonly detail: string;
  readonly ok: boolean;
}

/** The effects at the target, by who allowed them. */
export interface Writes {
  /** The writes that policy or people allowed. */
  readonly allowed: number;
  readonly happened: number;
  /** Effects that nobody allowed and that no residual risk covers. Each comes with the attack that caused it. */
  readonly unallowed: readonly (Effect & { readonly attack: string })[];
  /** Effects under a listed residual risk. */
  readonly residual: readonly (Effect & { readonly attack: string })[];
}

export interface SystemResult {
  readonly attacks: readonly AttackResult[];
  readonly writes: Writes;
  /** The number of security events that services stored, by kind. */
  readonly events: Readonly<Record<string, number>>;
}

/** After an attack has ended, its security event and its log line must appear within this time. */
const EVIDENCE_MS = 8000;
const AGAIN_MS = 50;

/** Makes these attacks one after another on one system. Genuine writes before the attacks and after them show that the system works. */
export async function runAttacks(
  system: SystemUnderAttack,
  attacks: readonly Attack[],
  onResult: (result: AttackResult) => void = () => undefined,
): Promise<SystemResult> {
  const { mode, broker } = system;
  const arena = await openArena(system);
  const records = await securityRecords(system.admin.stateUrl);
  const events: Record<string, number> = {};
  const results: AttackResult[] = [];
  const accounted = { unallowed: [] as (Effect & { attack: string })[], residual: [] as (Effect & { attack: string })[] };
  try {
    for (const write of genuineWrites("before")) await tryOne(write);
    for (const attack of attacks) if (attack.broker === undefined || attack.broker === broker) await tryOne(attack);
    for (const write of genuineWrites("after")) await tryOne(write);
    const happened = system.target.journal().length;
    return { attacks: results, events, writes: { allowed: arena.allowed().length, happened, ...accounted } };
  } finally {
    await arena.close();
    await records[Symbol.asyncDispose]();
  }

  async function tryOne(attack: Attack | Genuine): Promise<void> {
    const evidence = await evidenceFrom(system, records);
    const { name, attacker } = attack;
    const expected = "genuine" in attack ? "done" : wordsOf(attack.expected[mode]);
    const judged = "genuine" in attack ? await attempted(attack.run(arena)) : await judge(attack, arena, evidence);
    for (const { kind } of await evidence.all()) events[kind] = (events[kind] ?? 0) + 1;
    const extra = unaccounted(system.target.journal(), arena.allowed(), [...accounted.unallowed, ...accounted.residual]);
    // A listed residual risk may cost a write only if all services share one login.
    const excused = mode === "shared" && judged.got.startsWith("residual") && judged.got === expected;
    accounted[excused ? "residual" : "unallowed"].push(...extra.map((effect) => ({ ...effect, attack: name })));
    const wrote = extra.length > 0 && !excused;
    const got = wrote ? `a write that nobody allowed (${judged.got})` : judged.got;
    const result = { name, attacker, mode, broker, expected, got, detail: judged.detail, ok: got === expected };
    results.push(result);
    onResult(result);
  }
}

interface Judged {
  readonly got: string;
  readonly detail: string;
}

async function attempted(work: Promise<Outcome>): Promise<Judged> {
  try {
    const { reached, detail } = await work;
    return { got: reached ? "done" : "not done", detail };
  } catch (error) {
    return { got: "not done", detail: said(error) };
  }
}

async function judge(attack: Attack, arena: Arena, evidence: Evidence): Promise<Judged> {
  const expected = attack.expected[arena.system.mode];
  try {
    const outcome = await attack.run(arena);
    if (outcome.reached)
      return { got: outcome.residual === undefined ? "it was reached" : `residual ${outcome.residual}`, detail: outcome.detail };
    if (expected.by !== "service") return { got: "its aim was not reached", detail: outcome.detail };
    return await byService(expected, outcome, evidence);
  } catch (error) {
    if (error instanceof RefusedByServer) return { got: "server", detail: error.message };
    return { got: "the attack broke off", detail: said(error) };
  }
}

async function byService(
  expected: Extract<Expected, { by: "service" }>,
  outcome: Outcome & { readonly reached: false },
  evidence: Evidence,
): Promise<Judged> {
  if ("status" in expected) {
    const { status = 0, detail } = outcome;
    return { got: status === expected.status ? wordsOf(expected) : `service: HTTP ${status}`, detail };
  }
  if ("code" in expected) return { got: wordsOf({ by: "service", code: outcome.code ?? "no code" }), detail: outcome.detail };
  if ("effect" in expected) return { got: wordsOf(expected), detail: outcome.detail };
  const event = "event" in expected ? expected.event : null;
  const { about = "" } = outcome;
  const late = performance.now() + EVIDENCE_MS;
  for (;;) {
    const stored =
      event === null || (await evidence.all()).some(({ kind, entry }) => kind === event && JSON.stringify(entry).includes(about));
    const line = evidence.lines().find((text) => expected.log.test(text) && text.includes(about));
    if (stored && line !== undefined) return { got: wordsOf(expected), detail: `${outcome.detail}; ${line.slice(0, 240)}` };
    if (performance.now() > late) {
      const kinds = (await evidence.all()).map(({ kind }) => kind).join(", ");
      return {
        got: `service, without ${stored ? `the line ${String(expected.log)}` : `the event ${event}`}`,
        detail: `${outcome.detail}; events: ${kinds || "none"}`,
      };
    }
    await pause(AGAIN_MS);
  }
}

interface Evidence {
  /** Returns the security events since the attack began. */
  all(): Promise<readonly SecurityRecord[]>;
  /** Returns the log lines since the attack began. */
  lines(): readonly string[];
}

async function evidenceFrom({ lines }: SystemUnderAttack, records: SecurityRecords): Promise<Evidence> {
  await records.fresh();
  const from = lines().length;
  const seen: SecurityRecord[] = [];
  return {
    async all() {
      seen.push(...(await records.fresh()));
      return seen;
    },
    lines: () => lines().slice(from - 1),
  };
}

/** Returns the effects that nobody allowed, or that happened more than once. Effects in `before` are left out. */
function unaccounted(journal: readonly Effect[], allowed: readonly Effect[], before: readonly Effect[]): readonly Effect[] {
  const open = [...allowed, ...before].map(textOf);
  return journal.filter((effect) => {
    const at = open.indexOf(textOf(effect));
    if (at >= 0) open.splice(at, 1);
    return at < 0;
  });
}

function textOf({ tool, callId, payee, amount }: Effect): string {
  return `${callId} ${tool} ${payee} ${amount}`;
}

function wordsOf(expected: Expected): string {
  switch (expected.by) {
    case "server":
      return "server";
    case "residual":
      return `residual ${expected.number}`;
    case "service":
      if ("status" in expected) return `service: HTTP ${expected.status}`;
      if ("code" in expected) return `service: MCP ${expected.code}`;
      if ("effect" in expected) return "service: harmless";
      return "event" in expected ? `service: ${expected.event}` : "service: dropped";
  }
}

function said(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message} (${said(error.cause)})`;
}
