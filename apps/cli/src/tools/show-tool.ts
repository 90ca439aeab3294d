import { exampleArguments, type ToolView } from "@toolbus/contracts";
import { spanOf } from "../terminal/duration.ts";
import { paragraphs, WIDTH, wrapped } from "../terminal/lines.ts";
import { safeValue } from "../terminal/safe-text.ts";
import type { Context } from "../toolbus/context.ts";
import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";
import { SELF } from "../toolbus/self.ts";
import { findTool } from "./find-tool.ts";

/** Shows a tool in all its versions: what it does and its parameters. */
export async function showTool(context: Context, typed: string): Promise<ExitCode> {
  const tools = await findTool(await context.gateway(), typed);
  const { output, around } = context;
  if (output.json) output.document({ tools });
  else output.lines(safeValue(tools).flatMap((tool, n) => [...(n > 0 ? [""] : []), ...toolLines(tool, around.now())]));
  return EXIT.ok;
}

/** Returns the lines about one tool: what it does, its state and its parameters. */
export function toolLines(tool: ToolView, now: number): string[] {
  return [
    `${tool.name}@${tool.version}`,
    ...paragraphs(tool.description, WIDTH),
    "",
    `kind      ${tool.kind === "write" ? `write, ${tool.tier} tier` : tool.kind}`,
    `toolset   ${tool.toolset}`,
    ...promiseLines(tool),
    `worker    ${tool.availability}${tool.unavailable ? ` (${tool.unavailable.reason})` : ""}, seen ${spanOf(now - tool.lastSeenAt)} ago`,
    ...(tool.quarantined ? wrapped(`quarantined at ${tool.quarantined.pointer}: ${tool.quarantined.reason}`, WIDTH) : []),
    ...(tool.forbidden === undefined ? [] : wrapped(`not for   this key: ${tool.forbidden}`, WIDTH)),
    ...(tool.setAside ?? []).flatMap(({ provider, pointer, reason }) =>
      wrapped(`not for   ${provider}: ${pointer === "" ? "" : `${pointer}: `}${reason}`, WIDTH),
    ),
    ...(tool.deprecated ? wrapped(`instead   ${tool.deprecated.note}`, WIDTH) : []),
    "",
    ...(tool.quarantined ? ["It is not used: no run is offered it, and no call of it is executed."] : callLines(tool)),
  ];
}

/** Returns lines with the owner, the promises and the limits that the tool's definition declares. */
function promiseLines({ owner, slo, dependencies = [], limits = {} }: ToolView): string[] {
  const { p99Ms, successRate } = slo ?? {};
  const promises = [
    ...(p99Ms === undefined ? [] : [`99 of 100 calls within ${p99Ms} ms`]),
    ...(successRate === undefined ? [] : [`${Number((successRate * 100).toFixed(3))} % succeed`]),
  ];
  const limited = [
    ...(limits.argumentBytes === undefined ? [] : [`arguments of ${limits.argumentBytes} bytes`]),
    ...(limits.callsPerMinute === undefined ? [] : [`${limits.callsPerMinute} calls a minute in each worker`]),
  ];
  return [
    ...(owner === undefined ? [] : [`owner     ${owner}`]),
    ...(promises.length === 0 ? [] : [`slo       ${promises.join(", ")}`]),
    ...dependencies.map(({ name, p99Ms: budget, concurrent }) => {
      const more = [budget === undefined ? "" : `p99 ${budget} ms`, concurrent === undefined ? "" : `${concurrent} calls at once`];
      return `needs     ${[name, ...more].filter(Boolean).join(", ")}`;
    }),
    ...(limited.length === 0 ? [] : [`limits    ${limited.join(", ")}`]),
  ];
}

/** Returns the tool's parameters and a command that calls it. */
function callLines(tool: ToolView): string[] {
  const { properties = {}, required = [] } = tool.parameters as { properties?: object; required?: readonly string[] };
  return [
    ...Object.entries(properties).flatMap(([name, schema]) => parameterLines(name, schema, required.includes(name))),
    ...(Object.keys(properties).length === 0 ? ["It has no parameters."] : []),
    ...lostLines(tool.lost ?? []),
    "",
    ...exampleLines(tool),
  ];
}

/** Returns a command that works when it is copied, or that says which parts the user must replace first. */
function exampleLines({ name, parameters, example }: ToolView): string[] {
  const { arguments: args, complete } = exampleArguments(parameters, example && JSON.stringify(example));
  const typed = Object.keys(args).length === 0 ? "" : ` '${JSON.stringify(args).replaceAll("'", "'\\''")}'`;
  return [...(complete ? [] : ["Replace what is between < and > first:"]), `  ${SELF} tools call ${name}${typed}`];
}

/** Returns lines with the parts of the schema that the models of some providers do not receive. The worker still checks these parts. */
function lostLines(lost: NonNullable<ToolView["lost"]>): string[] {
  if (lost.length === 0) return [];
  const lines = lost
    .slice(0, MAX_LOST)
    .flatMap(({ providers, pointer, what }) => wrapped(`  ${pointer || "/"} (${providers.join(", ")}): ${what}`, WIDTH));
  return ["", "not sent to every model:", ...lines, ...(lost.length > MAX_LOST ? [`  and ${lost.length - MAX_LOST} more`] : [])];
}

const MAX_LOST = 12;

function parameterLines(name: string, schema: unknown, required: boolean): string[] {
  const { type, description, ...rules } = schema as { type?: unknown; description?: unknown; [word: string]: unknown };
  const rest = Object.entries(rules).map(([word, value]) => `${word} ${JSON.stringify(value)}`);
  const about = [typeof description === "string" ? description : "", rest.join(", ")].filter((part) => part !== "").join(" ");
  const head = `  ${name}: ${typeof type === "string" ? type : "any"}${required ? "" : ", optional"}`;
  return [head, ...(about === "" ? [] : wrapped(`      ${about}`, WIDTH))];
}
