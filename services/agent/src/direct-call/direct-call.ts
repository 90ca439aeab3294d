import { callIdOf, type DirectCall, DIRECT_CALL_PROFILE, type JsonObject, parseDirectCall, type Run, type Taint } from "@toolbus/contracts";
import { canonicalJson } from "@toolbus/grants";
import type { ModelProvider } from "@toolbus/models";
import type { Profile } from "../profile.ts";
import type { Turn } from "../transitions/turn-input.ts";

/**
 * The profile of runs that make one call and ask no model. The gateway starts these runs for the clients of its MCP server. The call is the run's
 * seed round, so it has all guarantees of other calls. After the result, the run ends.
 */
export const directCallProfile: Profile = {
  name: DIRECT_CALL_PROFILE,
  description: "Makes the one call that a client of the MCP server asked for; no model is asked.",
  systemPrompt: "",
  // Each run is offered only the tool of its call (`offeredFor`).
  tools: "all",
  limits: { maxRounds: 1, activeMs: 900_000, noWorkerMs: 30_000, maxTools: 1, maxTokens: 0, resultChars: 250_000 },
  model: null,
  toolChoice: "none",
  // The client of the gateway reads the result, not a model.
  workingMemory: false,
  seedCalls: [],
  report: null,
  askUser: false,
  continueAfterFailedWrite: false,
};

/** The model of these runs, for the parts of the agent that ask for a run's model. No step asks it anything. */
export const noModel: ModelProvider = {
  name: "toolbus",
  model: "direct-call",
  dialect: "any",
  capabilities: {
    tools: true,
    streaming: false,
    vision: false,
    sampling: false,
    contextTokens: 1_000_000,
    maxOutputTokens: 0,
    resultChars: 250_000,
  },
  complete: () => Promise.reject(new Error("A run that makes one direct call has no model.")),
  estimateTokens: () => 0,
};

export function isDirectCall({ name }: Pick<Profile, "name">): boolean {
  return name === DIRECT_CALL_PROFILE;
}

/** Returns the profile with only the tool that the run will call. Returns any other profile unchanged. */
export function offeredFor(profile: Profile, input: JsonObject): Profile {
  if (!isDirectCall(profile)) return profile;
  const { tool } = callIn(input);
  return { ...profile, tools: /^[a-z][a-z0-9_]*$/.test(tool) ? [tool] : [] };
}

/** Returns the turn that makes the call. The turn also has the call if the run does not have the tool. Its result then says why. */
export function callingTurn({ input }: Pick<Run, "input">): Turn {
  const { tool, arguments: args } = callIn(input);
  return turn("", [{ id: `seed_${tool}`, name: tool, arguments: canonicalJson(args) }]);
}

/** Returns the turn that ends the run after its call. */
export function closingTurn({ input }: Pick<Run, "input">): Turn {
  return turn(`The call of ${callIn(input).tool} has ended.`, []);
}

/**
 * Returns the taint with which a run begins. The model of a client outside of Toolbus may have read anything. So Toolbus treats what the client
 * asks for like what a model asks for after it has read untrusted content.
 */
export function taintOfClient(profile: Profile | undefined, { runId, input }: Pick<Run, "runId" | "input">): Taint | undefined {
  if (!profile || !isDirectCall(profile)) return undefined;
  const { client } = callIn(input);
  const passage = `${client} asked for this call over MCP. Toolbus does not know what its model has read.`;
  return { sources: [{ callId: callIdOf(runId, 0, 0), tool: client, passage }] };
}

/** A seed turn has no model call, so no budget of tokens or money is charged. */
function turn(text: string, calls: Turn["calls"]): Turn {
  const usage = { inputTokens: 0, outputTokens: 0 };
  return { provider: noModel.name, model: noModel.model, text, calls, seed: true, truncated: false, usage };
}

function callIn(input: JsonObject): DirectCall {
  const parsed = parseDirectCall(input["call"]);
  // Only the gateway writes this input. A call of a tool that cannot exist ends as `tool_not_found`.
  return parsed.ok ? parsed.value : { tool: "", arguments: {}, client: "unknown" };
}
