import { createHash } from "node:crypto";
import { counted, serverPart } from "@toolbus/contracts";
import { readWrite } from "../http/answers.ts";
import { confirm } from "../terminal/confirm.ts";
import { safeValue } from "../terminal/safe-text.ts";
import type { Context } from "../toolbus/context.ts";
import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";
import { SELF } from "../toolbus/self.ts";
import { isWaiting } from "../writes/list-writes.ts";
import { registeredLines } from "../writes/write-lines.ts";
import { endOf, forEachTool, type Outcomes } from "./each-write.ts";
import { type ServerWrite, writesOfServer } from "./server-writes.ts";

export interface EnableServerOptions {
  readonly hash?: string;
  /** Also enables the writes that an operator has switched off. */
  readonly disabled?: true;
  readonly acceptWeaker?: true;
  readonly yes?: true;
}

/**
 * Enables every waiting write of an MCP server: the ones that the command has just shown at the terminal, or exactly those that --hash identifies. It
 * sends the hash of each definition, so approvals refuses one that has changed since. Without --accept-weaker, it leaves out a definition that is less
 * strict than the enabled one.
 */
export async function enableServer(context: Context, typed: string, options: EnableServerOptions): Promise<ExitCode> {
  const { hash, yes, acceptWeaker } = options;
  if (yes && hash === undefined)
    throw new Failure(EXIT.usage, `--yes needs --hash: run the command without both, and check what it shows.`);
  const service = await context.approvals();
  const { server, writes } = await writesOfServer(service, typed);
  const { chosen, weaker, off } = choiceOf(writes, options);
  const all = hashOf(chosen);
  if (hash !== undefined && chosen.length > 0 && hash !== all)
    throw new Failure(
      EXIT.failed,
      `The waiting writes of "${server}" are no longer those that you checked: look at them again without --hash.`,
    );
  if (!yes && chosen.length > 0)
    await confirm(context, {
      lines: safeValue(chosen).flatMap((one) => [
        ...registeredLines(one, one.enabled !== null),
        ...(one.weaker === null ? [] : [`LESS STRICT than the enabled definition: ${one.weaker}`]),
        "",
      ]),
      question: `enable ${counted(chosen.length, "write")} of ${server}?`,
      otherwise: `check all of them with "${SELF} tools show --server ${serverPart(server)} --diff", then repeat this with --hash ${all} and --yes.`,
      declined: "Nothing was enabled.",
    });
  const outcomes = await forEachTool(chosen, async ({ tool, toolset, hash: own, receiptKeys }) => {
    const body = { toolset, hash: own, receiptKeys, ...(acceptWeaker ? { acceptWeaker } : {}) };
    readWrite(await service.post(`/v1/writes/${encodeURIComponent(tool)}/enable`, body));
  });
  const ended = endOf(context, outcomes, {
    document: { server, enabled: outcomes.done.map(nameOf), lessStrict: weaker.map(nameOf), disabled: off.map(nameOf) },
    lines: linesOf(server, { outcomes, weaker, off }),
  });
  return weaker.length === 0 ? ended : EXIT.failed;
}

interface Choice {
  readonly chosen: readonly ServerWrite[];
  /** The waiting writes that are less strict than the enabled definition, and stay as they are. */
  readonly weaker: readonly ServerWrite[];
  /** The writes that an operator has switched off, and that stay off. */
  readonly off: readonly ServerWrite[];
}

/** Returns which writes of a server are enabled together, and which are left out. */
export function choiceOf(
  writes: readonly ServerWrite[],
  { disabled, acceptWeaker }: Pick<EnableServerOptions, "disabled" | "acceptWeaker">,
): Choice {
  const isOff = ({ state, quarantined }: ServerWrite): boolean => !quarantined && state === "disabled";
  const open = writes.filter((one) => isWaiting(one) || (disabled === true && isOff(one)));
  return {
    chosen: open.filter((one) => acceptWeaker === true || one.weaker === null),
    weaker: open.filter((one) => acceptWeaker !== true && one.weaker !== null),
    off: disabled === true ? [] : writes.filter(isOff),
  };
}

/** Identifies these definitions and their receipt keys together. It does not depend on their order. */
export function hashOf(writes: readonly Pick<ServerWrite, "tool" | "version" | "toolset" | "hash" | "receiptKeys">[]): string {
  const lines = writes.map(({ tool, version, toolset, hash, receiptKeys }) =>
    [`${tool}@${version}`, toolset, hash, ...receiptKeys.toSorted()].join(" "),
  );
  return `sha256-${createHash("sha256").update(lines.toSorted().join("\n")).digest("base64url")}`;
}

const nameOf = ({ tool, version }: Pick<ServerWrite, "tool" | "version">): string => `${tool}@${version}`;

function linesOf(
  server: string,
  { outcomes: { done, refused }, weaker, off }: Omit<Choice, "chosen"> & { readonly outcomes: Outcomes<ServerWrite> },
): readonly string[] {
  return [
    ...(done.length + refused.length + weaker.length === 0 ? [`No write of ${server} waits for an operator.`] : []),
    ...done.map(({ tool, version, tier }) => `${tool}@${version} is enabled; its calls have at least the tier ${tier}.`),
    ...weaker.map(
      ({ tool, weaker: why }) => `${tool} is less strict than the enabled definition: ${why ?? ""}. --accept-weaker enables it anyway.`,
    ),
    ...(off.length === 0 ? [] : [`${counted(off.length, "write")} of ${server} stay switched off. --disabled enables them too.`]),
  ].map((line) => safeValue(line));
}
