import { SEEN_EVERY_MS, SEEN_FOR_MS, type ToolView } from "@toolbus/contracts";
import { readTools } from "../http/answers.ts";
import type { Client } from "../http/client.ts";
import { spanOf } from "../terminal/duration.ts";
import { safeText } from "../terminal/safe-text.ts";
import { SELF } from "../toolbus/self.ts";
import { type Check, fail, ok, warn } from "./check.ts";
import { findingOf } from "./finding-of.ts";

/**
 * Checks whether tools are registered and have workers. `isStartedHere` is true for a Toolbus that "start" runs on this machine, because it then runs the
 * workers too.
 */
export function checkTools(gateway: Client, isStartedHere = false): Promise<Check> {
  const name = "tools";
  return findingOf(name, async () => {
    const { tools, asOf, unreadable = [] } = readTools(await gateway.get("/v1/tools"));
    const [unread, ...furtherUnread] = unreadable.map((one) => ({ called: `${one.name}@${one.version}`, ...one }));
    if (unread)
      return fail(
        name,
        safeText(
          `The registration of ${[unread, ...furtherUnread].map(({ called }) => called).join(", ")} cannot be read, so nobody uses it: ${unread.reason}.`,
        ),
        `Usually the worker of "${safeText(unread.toolset)}" is of a newer version than the gateway: upgrade the gateway, or roll the worker back. "${SELF} tools list" shows the reason of each.`,
      );
    if (tools.length === 0)
      return warn(
        name,
        "None is registered.",
        'Start a worker, which registers its tools: docs/deployment.md, "A cluster on one machine", has the command.',
      );
    const unavailable = tools.filter((tool) => tool.availability === "unavailable");
    const count = `${tools.length} registered`;
    const [quarantined] = tools.filter((tool) => tool.quarantined);
    if (quarantined?.quarantined) {
      const all = tools.filter((tool) => tool.quarantined).map((tool) => safeText(`${tool.name}@${tool.version}`));
      const { pointer, reason } = quarantined.quarantined;
      return fail(
        name,
        `${count}; ${all.join(", ")} ${all.length === 1 ? "is" : "are"} quarantined: ${safeText(`${pointer}: ${reason}`)}`,
        `Its worker has to register a definition without that; "${SELF} tools show ${all[0]}" says more. Do not trust a worker that keeps registering it.`,
      );
    }
    if (unavailable.length > 0) {
      const reasons = [...new Set(unavailable.map((tool) => tool.unavailable?.reason ?? "its worker does not say why"))];
      return fail(
        name,
        safeText(`${count}; ${named(unavailable)} cannot be used now: ${reasons.join(" ").replace(/\.$/, "")}.`),
        "Fix what the reason says: the worker notices it within 30 s. Its log says more.",
      );
    }
    const unserved = await checkServed({ name, tools, asOf, isStartedHere });
    if (unserved) return unserved;
    if (asOf === undefined) return ok(name, `${count}, all available`);
    const ages = tools.map((tool) => ({ called: safeText(`${tool.name}@${tool.version}`), age: asOf - tool.lastSeenAt }));
    const [silent, ...more] = ages.filter(({ age }) => age > DUE_WITHIN_MS).toSorted((a, b) => b.age - a.age);
    if (silent) {
      const others = more.length === 0 ? "" : `, nor of ${more.length} more`;
      return warn(
        name,
        `${count}; no worker of ${silent.called} has sent a heartbeat for ${spanOf(silent.age)}${others}: one is due every ${spanOf(SEEN_EVERY_MS)}.`,
        `Check that its worker runs. The tool counts as available for ${SEEN_FOR_MS / 1000} s; calls wait.`,
      );
    }
    const oldest = Math.max(...ages.map(({ age }) => age));
    return ok(
      name,
      `${count}, all available: the oldest heartbeat of a worker came ${spanOf(oldest)} ago, one is due every ${spanOf(SEEN_EVERY_MS)}`,
    );
  });
}

interface Looked {
  readonly name: string;
  readonly tools: readonly ToolView[];
  readonly asOf: number | undefined;
  readonly isStartedHere: boolean;
}

/**
 * Finds tools without a live worker, unless their workers may be scaled to zero. If a tool has had no worker for a long time, it delays no run,
 * because agents no longer offer it to new runs.
 */
async function checkServed({ name, tools, asOf, isStartedHere }: Looked): Promise<Check | null> {
  const goneFor = ({ leftAt, lastSeenAt }: ToolView): number => (asOf ?? lastSeenAt) - (leftAt ?? lastSeenAt);
  const asleep = tools.filter((tool) => tool.availability === "asleep" && tool.scalesToZero !== true);
  const isServed = ({ availability }: ToolView): boolean => availability === "ready" || availability === "unavailable";
  /** Returns whether new runs get another version of the tool. */
  const isReplaced = ({ name: tool, toolset }: ToolView): boolean =>
    tools.some((other) => other.name === tool && other.toolset === toolset && isServed(other));
  const replaced = asleep.filter(isReplaced);
  const missing = asleep.filter((tool) => !isReplaced(tool));
  const [lately, long] = [
    missing.filter((tool) => goneFor(tool) <= OFFERED_FOR_MS),
    missing.filter((tool) => goneFor(tool) > OFFERED_FOR_MS),
  ];
  if (lately.length > 0) {
    const [first] = lately.toSorted((a, b) => goneFor(b) - goneFor(a));
    const since = first && asOf !== undefined ? `, the first for ${spanOf(goneFor(first))}` : "";
    return fail(
      name,
      `${tools.length} registered; no worker is alive for ${named(lately)}${since}.`,
      `${await howToStart(lately, isStartedHere)} Calls wait for it. A toolset whose workers may be scaled to zero declares it (scalesToZero).`,
    );
  }
  if (long.length > 0)
    return fail(
      name,
      `${tools.length} registered; no worker has served ${named(long)} for over an hour, so no new run is offered ${long.length === 1 ? "it" : "them"}.`,
      `${await howToStart(long, isStartedHere)} Or remove a tool that is gone for good: ${removals(long)}.`,
    );
  if (replaced.length === 0) return null;
  return warn(
    name,
    `${tools.length} registered; no worker serves ${named(replaced)}, so new runs get another version.`,
    `A version that is gone for good, such as after a rollback, can be removed: ${removals(replaced)}.`,
  );
}

/** Returns the commands that remove the first tools. */
function removals(tools: readonly ToolView[]): string {
  return tools
    .slice(0, 3)
    .map(({ name, version }) => `"${SELF} tools remove ${safeText(name)} --version ${safeText(version)}"`)
    .join(", ");
}

/** Returns which worker to start, and how. A toolset of your own has its own program, which only its owner knows. */
async function howToStart(tools: readonly ToolView[], isStartedHere: boolean): Promise<string> {
  const { SHIPPED_TOOLSETS } = await import("@toolbus/all-in-one");
  const toolsets = [...new Set(tools.map(({ toolset }) => safeText(toolset)))].toSorted();
  // A Toolbus that was started here serves the tools of MCP servers only with this setting, and another process could not use its store.
  const here =
    isStartedHere && toolsets.includes(MCP)
      ? `Start Toolbus again with MCP_CONFIG_FILE, the file of the MCP servers, or remove their tools: "${SELF} tools remove --server NAME".`
      : null;
  const ours = toolsets.filter((toolset) => (toolset === MCP && here === null) || SHIPPED_TOOLSETS.includes(toolset));
  const others = toolsets.filter((toolset) => !ours.includes(toolset) && toolset !== MCP).map((toolset) => `"${toolset}"`);
  return [
    ...(here === null ? [] : [here]),
    ...(ours.length === 0
      ? []
      : [
          `Start a worker of ${ours.map((toolset) => `"${toolset}"`).join(", ")}. The command is "TOOLSETS=${ours.join(",")} npx node services/tool-executor/src/main.ts", with the settings in docs/deployment.md, "A cluster on one machine".`,
        ]),
    ...(others.length === 0 ? [] : [`Start the program that serves ${others.join(", ")}.`]),
  ].join(" ");
}

/** The toolset of the tool-executor whose tools are those of MCP servers. */
const MCP = "mcp";

function named(tools: readonly ToolView[]): string {
  return tools.map((tool) => safeText(`${tool.name}@${tool.version}`)).join(", ");
}

/** How long agents still offer a tool after its last worker has left. */
const OFFERED_FOR_MS = 3_600_000;

/** The longest normal age of a heartbeat. Workers send one every 30 s, and its commit takes a moment. */
const DUE_WITHIN_MS = SEEN_EVERY_MS + 5000;
