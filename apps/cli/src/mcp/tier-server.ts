import { atLeast, counted, type Tier } from "@toolbus/contracts";
import { readWrite } from "../http/answers.ts";
import type { Client } from "../http/client.ts";
import { confirm } from "../terminal/confirm.ts";
import { safeText, safeValue } from "../terminal/safe-text.ts";
import type { Context } from "../toolbus/context.ts";
import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";
import { findWrite } from "../writes/find-write.ts";
import type { TierOptions } from "../writes/raise-tier.ts";
import { endOf, forEachTool } from "./each-write.ts";
import { type ServerWrite, writesOfServer } from "./server-writes.ts";

/** The change of the tier of one write. */
interface Move {
  readonly tool: string;
  readonly from: Tier;
  readonly to: Tier;
}

/**
 * Sets the lowest tier for the calls of every enabled write of an MCP server. A write whose own definition has a higher tier keeps it. Without
 * --accept-weaker, no tier falls. A fall needs a yes at the terminal, or --yes.
 */
export async function setServerTier(context: Context, typed: string, tier: Tier, { acceptWeaker, yes }: TierOptions): Promise<ExitCode> {
  const service = await context.approvals();
  const { server, writes } = await writesOfServer(service, typed);
  const { raised, lowered, same, notEnabled } = movesTo(tier, await enabledOf(service, writes));
  const wanted = acceptWeaker ? [...raised, ...lowered] : raised;
  if (acceptWeaker && lowered.length > 0 && !yes)
    await confirm(context, {
      lines: safeValue(lowered).map(({ tool, from, to }) => `  ${tool}: from ${from} to ${to}`),
      question: `lower the tier of ${counted(lowered.length, "write")} of ${server}?`,
      otherwise: "repeat this with --yes.",
      declined: "No tier was changed.",
    });
  const outcomes = await forEachTool(wanted, async ({ tool, to }) =>
    readWrite(await service.post(`/v1/writes/${encodeURIComponent(tool)}/tier`, { tier: to, ...(acceptWeaker ? { acceptWeaker } : {}) })),
  );
  const left = acceptWeaker ? [] : lowered;
  const ended = endOf(context, outcomes, {
    document: { server, changed: outcomes.done, unchanged: same, lower: left, notEnabled },
    lines: [
      ...safeValue(outcomes.done).map(({ tool, to }) => `Every call of ${tool} has at least the tier ${to}.`),
      ...(same.length === 0
        ? []
        : [safeText(`${counted(same.length, "write")} of ${server} already had this tier, or a higher one of its own.`)]),
      ...safeValue(left).map(({ tool, from, to }) => `${tool} keeps the tier ${from}: --accept-weaker lowers it to ${to}.`),
      ...(notEnabled.length === 0
        ? []
        : [safeText(`${counted(notEnabled.length, "write")} of ${server} never enabled, so they got no tier.`)]),
    ],
  });
  return left.length === 0 ? ended : EXIT.failed;
}

/** A write with the tier of its calls and that of its enabled definition. Both are null if the write was never enabled. */
interface EnabledTier {
  readonly tool: string;
  readonly now: Tier | null;
  readonly own: Tier | null;
}

/** Returns the tiers of each write. The enabled definition is read from approvals if no worker registers it any more. */
async function enabledOf(service: Client, writes: readonly ServerWrite[]): Promise<readonly EnabledTier[]> {
  const tiers: EnabledTier[] = [];
  for (const [tool, registered] of Map.groupBy(writes, (one) => one.tool)) {
    const enabled = registered[0]?.enabled ?? null;
    const same = registered.find(({ hash }) => hash === enabled?.hash);
    const own = enabled === null ? null : (same?.tier ?? (await findWrite(service, tool)).enabled?.definition.risk.tier ?? null);
    tiers.push({ tool, now: enabled?.tier ?? null, own });
  }
  return tiers;
}

/** Returns what a tier would change for each write of a server. */
export function movesTo(
  tier: Tier,
  writes: readonly EnabledTier[],
): {
  readonly raised: readonly Move[];
  readonly lowered: readonly Move[];
  readonly same: readonly string[];
  readonly notEnabled: readonly string[];
} {
  const moves = writes.flatMap(({ tool, now, own }) =>
    now === null || own === null ? [] : [{ tool, from: now, to: atLeast(own, tier) ? own : tier }],
  );
  return {
    raised: moves.filter(({ from, to }) => from !== to && atLeast(to, from)),
    lowered: moves.filter(({ from, to }) => !atLeast(to, from)),
    same: moves.filter(({ from, to }) => from === to).map(({ tool }) => tool),
    notEnabled: writes.filter(({ now, own }) => now === null || own === null).map(({ tool }) => tool),
  };
}
