import { keys, parseBudgetWindow, type RunOrigin, shardOf } from "@toolbus/contracts";
import { ownKeys, signDocument, signedReader } from "@toolbus/grants";
import { type FactsOf, modelFacts } from "@toolbus/models";
import { readSettings } from "@toolbus/runtime";
import type { StateStore } from "@toolbus/state";
import { silentLog } from "@toolbus/telemetry";
import { originReader } from "../origins.ts";
import type { Profile } from "../profile.ts";
import { type BudgetConfig } from "../budget/budget-limits.ts";
import { dayPlace, runPlace } from "../budget/budget-places.ts";
import { budgetSettings } from "../budget/budget-settings.ts";
import { type BudgetedRun, type Budgets, budgets, type Estimate } from "../budget/budgets.ts";

const own = await ownKeys(["gateway"]);

/** A moment at 22:30 UTC. */
export const EVENING = Date.UTC(2026, 10, 21, 22, 30);
export const RUN_A = "rn_03_01JD0000000000000000000001";
export const RUN_B = "rn_07_01JD0000000000000000000002";
export const RUN_C = "rn_07_01JD0000000000000000000003";

/** Reads settings as an operator would write them. */
export function budgetConfig(env: Readonly<Record<string, string>>): BudgetConfig {
  return readSettings(budgetSettings, env);
}

export interface BudgetParts {
  readonly env?: Readonly<Record<string, string>>;
  readonly profile?: Profile;
  readonly factsOf?: FactsOf;
}

/** Returns the budgets of one process. */
export function budgetsOf(state: StateStore, { env = {}, profile, factsOf = modelFacts }: BudgetParts): Budgets {
  const origins = originReader({ state, reader: signedReader({ typ: "tb-origin+jwt", keys: own.trusted.of("gateway") }), log: silentLog });
  return budgets({ state, origins, config: budgetConfig(env), profile: () => profile, factsOf, log: silentLog });
}

/** Records who asked for a run, as the gateway does. */
export async function askedBy(state: StateStore, runId: string, principal: string, tenant = "acme"): Promise<void> {
  const origin: RunOrigin = {
    runId,
    conversationId: runId.replace("rn_", "cv_"),
    tenant,
    principal,
    scopes: [],
    agent: "default",
    messageHash: "hash",
    via: { kind: "http" },
    createdAt: EVENING,
    openUntil: EVENING + 1,
  };
  const key = keys.runOrigin(runId);
  const value = await signDocument("tb-origin+jwt", { key, revision: 1, content: origin }, own.identityOf("gateway").signer);
  await state.commit(shardOf(runId), { op: `origin:${runId}`, guards: [{ key, version: 0 }], put: [{ key, value }] });
}

/** Returns a step of a run. */
export function stepOf(runId: string, epoch = 1, at = EVENING): BudgetedRun {
  return { runId, profile: "test", round: 1, epoch, stepStartedAt: at };
}

/** Returns the estimate of a call to a model that costs $2 per million input tokens and $10 per million output tokens. */
export function callOf(promptTokens: number, maxTokens: number, model = "claude-sonnet-5-5"): () => Estimate {
  return () => ({ provider: "anthropic", model, promptTokens, maxTokens, toolCalls: 0 });
}

export interface UsedSoFar {
  readonly tokens: number;
  readonly microUsd: number;
  readonly toolCalls: number;
}

/** Returns what the store records as used or reserved. */
export async function usedOf(
  state: StateStore,
  of: { readonly run: string } | { readonly principal: string } | { readonly tenant: string },
  at = EVENING,
): Promise<UsedSoFar> {
  const place =
    "run" in of
      ? runPlace(of.run, at)
      : "principal" in of
        ? dayPlace("principal", { tenant: "acme", principal: of.principal }, at, state.shards)
        : dayPlace("tenant", { tenant: of.tenant, principal: "" }, at, state.shards);
  const { documents } = await state.read([keys.budget(place.shard, place.id)]);
  const window = parseBudgetWindow(documents[0]?.value);
  if (!window.ok) return { tokens: 0, microUsd: 0, toolCalls: 0 };
  const { tokens, microUsd, toolCalls } = window.value;
  return { tokens, microUsd, toolCalls };
}
