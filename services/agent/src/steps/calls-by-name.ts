import { callsByName, checkArguments, failedResult, isJsonObject, type JsonObject, type Registration, type Run } from "@toolbus/contracts";
import { canonicalJson, parseStrictJson } from "@toolbus/grants";
import { CALLS_PER_TURN, type Profile } from "../profile.ts";
import type { AskedName, ToolByName } from "../tool-by-name.ts";
import type { ToolOffers } from "../tool-offers.ts";
import type { CallByName, Turn } from "../transitions/turn-input.ts";

interface Asking {
  readonly run: Pick<Run, "rights">;
  /** The run's profile. Undefined if the agent no longer knows it. */
  readonly profile: Profile | undefined;
  readonly calls: Turn["calls"];
  /** The tools that the run can call. */
  readonly tools: ReadonlyMap<string, Registration>;
  /** The store's time, in milliseconds. */
  readonly now: number;
}

/**
 * Returns, by the number of the call in the turn, the tools that calls name in their arguments. Such a call becomes a call of that tool before
 * anything judges it: the tool's own schema, kind, tier, grant and ledger apply. A call with invalid arguments is left out, because the check of its
 * arguments refuses it. Reads the registry only if there is such a call. Throws `StoreUnavailable`.
 */
export async function resolveCallsByName(
  offers: Pick<ToolOffers, "find">,
  { run, profile, calls, tools, now }: Asking,
): Promise<ReadonlyMap<number, CallByName>> {
  const resolved = new Map<number, CallByName>();
  if (calls.length > CALLS_PER_TURN) return resolved;
  for (const [n, call] of calls.entries()) {
    const through = tools.get(call.name);
    if (!through || !callsByName(through)) continue;
    const asked = readAsked(through, call.arguments);
    if (!asked) continue;
    const found: ToolByName = profile ? await offers.find(profile, { rights: run.rights, now }, asked) : { kind: "none", nearest: [] };
    resolved.set(n, meantBy(found, asked, tools));
  }
  return resolved;
}

interface Asked extends AskedName {
  readonly arguments: JsonObject;
  /** All arguments of the call, as canonical JSON text. */
  readonly written: string;
}

function readAsked({ definition }: Registration, text: string): Asked | null {
  const parsed = parseStrictJson(text);
  if (!parsed.ok || !isJsonObject(parsed.value)) return null;
  const args = structuredClone(parsed.value);
  if (checkArguments(definition, args).length > 0) return null;
  const { server_name: service, tool_name: tool, arguments: given = {} } = args;
  return typeof service === "string" && typeof tool === "string" && isJsonObject(given)
    ? { service, tool, arguments: given, written: canonicalJson(args) }
    : null;
}

function meantBy(found: ToolByName, asked: Asked, tools: ReadonlyMap<string, Registration>): CallByName {
  const names = `${JSON.stringify(asked.tool.slice(0, 64))} of ${JSON.stringify(asked.service.slice(0, 64))}`;
  switch (found.kind) {
    case "usable":
    case "withheld": {
      // A run that has the tool keeps the definition with which it began.
      const own = tools.get(found.tool.definition.name);
      const kept = own?.toolset === found.tool.toolset ? own : undefined;
      const isUsable = kept !== undefined || found.kind === "usable";
      return { tool: kept ?? found.tool, isUsable, arguments: canonicalJson(asked.arguments), written: asked.written };
    }
    case "off":
      return { refused: failedResult("tool_disabled", `The tool ${names} cannot be called: ${found.why}`) };
    case "none": {
      const nearest = found.nearest.length === 0 ? "This run may call no tool by name." : `The nearest are: ${found.nearest.join(", ")}.`;
      return { refused: failedResult("tool_not_found", `There is no tool ${names} that this run may call. ${nearest}`) };
    }
  }
}
