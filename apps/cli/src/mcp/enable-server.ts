import { createHash } from "node:crypto";
import { counted, type RegisteredWrite } from "@toolbus/contracts";
import { readWrite } from "../http/answers.ts";
import { confirm } from "../terminal/confirm.ts";
import { safeValue } from "../terminal/safe-text.ts";
import type { Context } from "../toolbus/context.ts";
import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";
import { SELF } from "../toolbus/self.ts";
import { isWaiting } from "../writes/list-writes.ts";
import { registeredLines } from "../writes/write-lines.ts";
import { writesOfServer } from "./server-writes.ts";

export interface EnableServerOptions {
  readonly hash?: string;
  readonly yes?: true;
}

/**
 * Enables every waiting write of an MCP server: the ones that the command has just shown at the terminal, or exactly those that --hash identifies. It
 * leaves out a definition that is less strict than the enabled one.
 */
export async function enableServer(context: Context, server: string, { hash, yes }: EnableServerOptions): Promise<ExitCode> {
  if (yes && hash === undefined)
    throw new Failure(EXIT.usage, `--yes needs --hash: run "${SELF} mcp enable ${server}" without it, and check what it shows.`);
  const service = await context.approvals();
  const waiting = (await writesOfServer(service, server)).filter((one) => isWaiting(one));
  const [weaker, chosen] = [waiting.filter((one) => one.weaker !== null), waiting.filter((one) => one.weaker === null)];
  const all = hashOf(chosen);
  if (hash !== undefined && chosen.length > 0 && hash !== all)
    throw new Failure(
      EXIT.failed,
      `The waiting writes of "${server}" are no longer those that you checked: look at them again without --hash.`,
    );
  if (!yes && chosen.length > 0)
    await confirm(context, {
      lines: safeValue(chosen).flatMap((one) => [...registeredLines(one, one.changes.length > 0), ""]),
      question: `enable ${counted(chosen.length, "write")} of ${server}?`,
      otherwise: `check each write with "${SELF} tools show NAME --diff", then repeat this with --hash ${all} and --yes.`,
      declined: "Nothing was enabled.",
    });
  for (const { tool, toolset, hash: own, receiptKeys } of chosen)
    readWrite(await service.post(`/v1/writes/${encodeURIComponent(tool)}/enable`, { toolset, hash: own, receiptKeys }));
  report(context, { enabled: chosen, weaker });
  return weaker.length === 0 ? EXIT.ok : EXIT.failed;
}

/** Identifies these definitions together. It does not depend on their order. */
export function hashOf(writes: readonly Pick<RegisteredWrite, "tool" | "version" | "hash">[]): string {
  const lines = writes.map(({ tool, version, hash }) => `${tool}@${version} ${hash}`).toSorted();
  return `sha256-${createHash("sha256").update(lines.join("\n")).digest("base64url")}`;
}

function report(
  { output }: Context,
  { enabled, weaker }: { readonly enabled: readonly RegisteredWrite[]; readonly weaker: readonly RegisteredWrite[] },
): void {
  const names = (writes: readonly RegisteredWrite[]): readonly string[] => writes.map(({ tool, version }) => `${tool}@${version}`);
  if (output.json) return output.document({ enabled: names(enabled), lessStrict: names(weaker) });
  if (enabled.length + weaker.length === 0) return output.note("No write of this server waits for an operator.");
  output.lines([
    ...safeValue(enabled).map(({ tool, version, tier }) => `${tool}@${version} is enabled; its calls have at least the tier ${tier}.`),
    ...safeValue(weaker).map(
      ({ tool, weaker: why }) =>
        `${tool} is less strict than the enabled definition: ${why}. "${SELF} tools enable ${tool} --accept-weaker" enables it.`,
    ),
  ]);
}
