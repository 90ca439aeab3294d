import type { ToolView } from "@toolbus/contracts";
import { readTools } from "../http/answers.ts";
import { spanOf } from "../terminal/duration.ts";
import { safeValue } from "../terminal/safe-text.ts";
import { table } from "../terminal/table.ts";
import type { Context } from "../toolbus/context.ts";
import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";

/** Shows the registered tools, and whether each has a worker. */
export async function listTools(context: Context): Promise<ExitCode> {
  const gateway = await context.gateway();
  const list = readTools(await gateway.get("/v1/tools"));
  const { output, around } = context;
  if (output.json) {
    output.document(list);
    return EXIT.ok;
  }
  // The store's clock is the base of all ages, because the caller's clock may be wrong.
  const now = list.asOf ?? around.now();
  const rows = safeValue(list.tools).map((tool) => [
    tool.name,
    tool.version,
    tool.kind === "write" ? `write, ${tool.tier}` : tool.kind,
    stateOf(tool),
    `${spanOf(now - tool.lastSeenAt)} ago`,
    tool.description,
  ]);
  if (rows.length === 0) output.note("No tool is registered: a worker registers its tools when it starts.");
  else output.lines(table(["TOOL", "VERSION", "KIND", "STATE", "SEEN", "DOES"], rows));
  for (const { toolset, name, version, reason } of safeValue(list.unreadable ?? []))
    output.note(`${name}@${version} of "${toolset}" is left out, because its registration cannot be read: ${reason}`);
  return EXIT.ok;
}

function stateOf({ availability, forbidden, quarantined, setAside }: ToolView): string {
  if (quarantined) return "quarantined";
  const notFor = [...(forbidden === undefined ? [] : ["this key"]), ...(setAside ?? []).map(({ provider }) => provider)];
  return notFor.length === 0 ? availability : `${availability}, not for ${notFor.join(", ")}`;
}
