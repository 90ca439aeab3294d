import { assertPaired, type ModelContext, type ModelProvider, type ModelReply, type ModelRequest, ValidationError } from "@toolbus/models";
import type { ScriptedTurn } from "../scenario/scenario.ts";

/** The name under which a played turn is recorded. */
const MODEL = "scripted";

/**
 * Returns the turns of a run, from its first round on. Returns null if the scenario brings none, and the model is asked. Waits until the run is known,
 * at most until the signal aborts.
 */
export type TurnsOf = (runId: string, signal: AbortSignal) => Promise<readonly ScriptedTurn[] | null>;

/**
 * Returns a model that plays the turns of scenarios, and asks `model` in every other run. A turn is chosen by its round, so a call that is repeated
 * after a failure plays the same turn. A run that needs more turns than its scenario has fails.
 */
export function scriptedModel(model: ModelProvider, turnsOf: TurnsOf): ModelProvider {
  return {
    name: model.name,
    model: model.model,
    capabilities: model.capabilities,
    dialect: model.dialect,
    estimateTokens: (entries, system) => model.estimateTokens(entries, system),
    ...(model.mostTokens ? { mostTokens: model.mostTokens.bind(model) } : {}),
    async complete(request, context) {
      const turns = await turnsOf(request.run.runId, context.signal);
      return turns === null ? model.complete(request, context) : played(turns, request, context, model);
    },
  };
}

function played(
  turns: readonly ScriptedTurn[],
  { run: { round }, transcript, system, toolChoice }: ModelRequest,
  { signal, onText }: ModelContext,
  model: ModelProvider,
): ModelReply {
  assertPaired(transcript);
  signal.throwIfAborted();
  // Only turns have a round. The other question is that for a summary.
  const turn = round === undefined ? NO_SUMMARY : turns[round - 1];
  if (!turn) throw new ValidationError(`The scenario has ${turns.length} turns of the model, and the run asks for turn ${round ?? 0}.`);
  const asked = toolChoice === "none" ? [] : turn.calls;
  const calls = asked.map(({ tool, arguments: args }, n) => ({
    id: `scripted_${round ?? 0}_${transcript.length}_${n}`,
    name: tool,
    arguments: JSON.stringify(args),
  }));
  if (turn.text !== "") onText(turn.text);
  const written = calls.reduce((sum, call) => sum + call.arguments.length, turn.text.length);
  return {
    text: turn.text,
    calls,
    stop: calls.length > 0 ? "tool_use" : "end_turn",
    // Nobody was asked, so the turn costs nothing, whatever the price of the configured model is.
    usage: {
      inputTokens: model.estimateTokens(transcript, system),
      outputTokens: Math.ceil(written / CHARS_A_TOKEN),
      estimated: true,
      costMicroUsd: 0,
    },
    model: MODEL,
  };
}

const CHARS_A_TOKEN = 4;
const NO_SUMMARY: ScriptedTurn = { text: "The earlier part of the conversation is left out.", calls: [] };
