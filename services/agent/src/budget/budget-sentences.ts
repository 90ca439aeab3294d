import { counted, dollarsOf, type RunOrigin } from "@toolbus/contracts";
import type { Ceilings, Whose } from "./budget-limits.ts";

/** A budget that has no room for a request. */
export interface Exhausted {
  readonly whose: Whose;
  readonly what: keyof Ceilings;
  readonly used: number;
  readonly asked: number;
  readonly ceiling: number;
  /** The requester of the run. Null if neither principals nor tenants have a limit. */
  readonly origin: Pick<RunOrigin, "tenant" | "principal"> | null;
  /** The time at which the budget of the next day applies. Null for a run's budget. */
  readonly opensAt: number | null;
  /** The setting, or the profile's field, that an operator would raise. */
  readonly limit: string;
}

/** Says whose budget is used up, how much of it is used, when it opens again and what to ask for. */
export function exhaustedSentence({ whose, what, used, asked, ceiling, origin, opensAt, limit }: Exhausted): string {
  const budget = `${OWNERS[whose](origin)} of ${amount(what, ceiling)}${opensAt === null ? "" : " a day"}`;
  const next = what === "toolCalls" ? `asks for ${amount(what, asked)}` : `may need ${amount(what, asked)}`;
  const state =
    asked > ceiling
      ? `${budget} is too small for the next step of this run, which ${next}`
      : `${budget} is used up: ${amount(what, used)} ${what !== "microUsd" && used === 1 ? "is" : "are"} used or reserved, and the next step of this run ${next}`;
  const remedy = opensAt === null || asked > ceiling ? `Ask an operator to raise ${limit}` : `It opens again at ${at(opensAt)}`;
  const other = opensAt === null || asked > ceiling ? "" : `, or ask an operator to raise ${limit}`;
  return `${state}. ${remedy}${other}.`;
}

const OWNERS: Readonly<Record<Whose, (origin: Exhausted["origin"]) => string>> = {
  run: () => "The run's budget",
  principal: (origin) => `The budget of ${origin?.principal ?? "this principal"}`,
  tenant: (origin) => `The budget of the tenant ${origin?.tenant ?? ""}`.trimEnd(),
};

/** Formats an amount, for example as `12,000 tokens`, `$0.05` or `3 tool calls`. */
function amount(what: keyof Ceilings, value: number): string {
  if (what === "microUsd") return dollarsOf(value);
  return counted(value, what === "tokens" ? "token" : "tool call", value.toLocaleString("en-US"));
}

const at = (time: number): string => new Date(time).toISOString().replace(/:00\.000Z$/, "Z");
