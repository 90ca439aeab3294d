import { ratesOf } from "../ports/faults.ts";
import type { WorldPlan } from "./world-plan.ts";
import { prng } from "../clockwork/prng.ts";
import { withBatches } from "./batch-worlds.ts";
import { withLocalTools } from "./plan.ts";
import { planned, simToolset, writeNamed, writesOf } from "./sim-tools.ts";

/**
 * Variants of a seed's world. In some variants, something rare happens often. Other variants lack a layer that hides faults. All guarantees must hold
 * in the variants too.
 */
export const variants = {
  /** The world has no timers that send a call again, and no faults that only those timers repair. */
  "without-fallback": withoutFallback,
  /** Messages are late so often, and approvals are held so briefly, that writes lapse while they are in transit. */
  "late-messages": (plan: WorldPlan): WorldPlan => ({
    ...plan,
    rates: { ...plan.rates, kill: 0, pause: 0, stop: 0, outage: 0, late_message: 0.7 },
    habits: { ...plan.habits, cancels: 0, ignores: 0 },
    settings: {
      ...plan.settings,
      agent: { ...plan.settings.agent, CALL_NOT_AFTER_MS: 900_000, REDISPATCH_MS: 2000 },
      approvals: { ...plan.settings.approvals, EXECUTE_BY_MS: 60_000, GRANT_TTL_MS: 95_000, APPROVAL_EXPIRY_MS: 300_000 },
    },
  }),
  /** Leases end so soon, and workers stall so often, that another worker takes over a write while the first worker still executes it. */
  "taken-over": (plan: WorldPlan): WorldPlan => ({
    ...plan,
    latencyMs: { least: 5, most: 1500 },
    rates: { ...plan.rates, kill: 0, outage: 0, pause: 0.01, taken_back: 0.5, duplicate: 0.3, slow_target: 0.3 },
    habits: { ...plan.habits, cancels: 0, ignores: 0, denies: 0, revises: 0, edits: 0 },
    settings: {
      ...plan.settings,
      agent: { ...plan.settings.agent, REDISPATCH_MS: 2000, CALL_NOT_AFTER_MS: 900_000 },
      worker: { ...plan.settings.worker, leaseMs: 3000, renewMs: 1000, retryMs: [200, 500] },
    },
  }),
  /** Replies of the store are lost so often, and processes stall so long, that another process has continued before a commit is repeated. */
  unheard: (plan: WorldPlan): WorldPlan => ({
    ...plan,
    rates: { ...plan.rates, kill: 0, outage: 0, pause: 0.01, lost_reply: 0.3 },
    habits: { ...plan.habits, cancels: 0, ignores: 0 },
  }),
  /** The world has one conversation over slow connections, in which every message interrupts the previous one. */
  interruptions: (plan: WorldPlan): WorldPlan => ({
    ...plan,
    latencyMs: { least: 5, most: 1000 },
    requests: [0, 1, 2].map((n) => ({ name: `v${n}`, messages: 4, interrupts: true })),
    habits: { ...plan.habits, thinkMs: 3000 },
  }),
  /** Strangers can write what the read returns, so later writes of the conversation wait for people. */
  "untrusted-reads": (plan: WorldPlan): WorldPlan => ({
    ...plan,
    habits: { ...plan.habits, cancels: 0, ignores: 0 },
    settings: { ...plan.settings, toolset: simToolset(writesOf(plan.settings.toolset), "untrusted") },
  }),
  /** People approve plans, targets change often, and an attacker repeats messages and changes the plans in them. */
  "changing-targets": (plan: WorldPlan): WorldPlan => ({
    ...plan,
    rates: { ...plan.rates, kill: 0, outage: 0, replayed: 0.5 },
    habits: { ...plan.habits, cancels: 0, ignores: 0, denies: 0, revises: 0 },
    drifts: 0.5,
    settings: {
      ...plan.settings,
      toolset: simToolset([
        ...new Set(writesOf(plan.settings.toolset).map((name) => (writeNamed(name)?.plans === true ? name : planned(name)))),
      ]),
    },
  }),
  /** Agents make the calls of reads themselves, models answer at once, messages overtake each other, and no timer makes a call again. */
  "local-tools": (plan: WorldPlan): WorldPlan => {
    const local = withLocalTools(withoutFallback(plan), prng(`${plan.name}/local`));
    return {
      ...local,
      rates: ratesOf({ duplicate: 0.2, reorder: 0.2, late_message: 0.1 }),
      modelMs: { least: 1, most: 300 },
      requests: [0, 1].map((n) => ({ name: `v${n}`, messages: 4 })),
      // If a target changes while messages overtake each other, only a timer may find out which plan people approve.
      drifts: 0,
      habits: { ...local.habits, thinkMs: 500 },
      settings: { ...local.settings, agent: { ...local.settings.agent, RUN_LEASE_MS: NEVER_MS } },
    };
  },
  /** People answer waiting approvals in batches, and approvals is often killed meanwhile. */
  batches: (plan: WorldPlan): WorldPlan => {
    const batched = withBatches(plan, prng(`${plan.name}/batches`));
    return { ...batched, rates: { ...plan.rates, kill: Math.max(plan.rates.kill, 0.01) }, habits: { ...batched.habits, ignores: 0 } };
  },
} as const satisfies Readonly<Record<string, (plan: WorldPlan) => WorldPlan>>;

export type Variant = keyof typeof variants;

/** A timer with this delay never fires, because the delay is longer than any history. */
const NEVER_MS = 30 * 86_400_000;

/** Returns the same world without the timers that send a call again, and without the faults that only those timers repair. */
function withoutFallback(plan: WorldPlan): WorldPlan {
  const { kill, pause, stop, lost_request, lost_reply, executed_twice, duplicate, reorder, late_message, slow_model, slow_target } =
    plan.rates;
  const agent = {
    ...plan.settings.agent,
    REDISPATCH_MS: NEVER_MS,
    REDISPATCH_MAX_MS: NEVER_MS,
    HELD_CHECK_MS: NEVER_MS,
    CALL_NOT_AFTER_MS: NEVER_MS,
  };
  const approvals = { ...plan.settings.approvals, EXECUTE_BY_MS: NEVER_MS, GRANT_TTL_MS: NEVER_MS };
  return {
    ...plan,
    rates: ratesOf({
      kill: Math.min(kill, 0.004),
      pause,
      stop,
      lost_request,
      lost_reply,
      executed_twice,
      duplicate,
      reorder,
      late_message,
      slow_model,
      slow_target,
    }),
    settings: { ...plan.settings, agent, approvals },
  };
}
