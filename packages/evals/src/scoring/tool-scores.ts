import type { Json } from "@toolbus/contracts";
import { matches } from "../matcher/matches.ts";
import type { ObservedCall } from "../observation/observation.ts";
import type { Score } from "../result/trial.ts";
import type { Expectations, ExpectedCall } from "../scenario/scenario.ts";
import { partial, verdict } from "./score.ts";

/** Scores which tools were called, with which arguments, when and in which order. */
export function toolScores(
  { called = [], order, notCalled = [] }: NonNullable<Expectations["tools"]>,
  calls: readonly ObservedCall[],
): readonly Score[] {
  return [
    ...called.map((wanted, n) => calledScore(wanted, calls, called.slice(0, n).filter(({ tool }) => tool === wanted.tool).length)),
    ...(order ? [orderScore(order, calls)] : []),
    ...notCalled.map((tool) => notCalledScore(tool, calls)),
  ];
}

/** Two expectations of one tool have names of their own, because a baseline compares scores by name. */
function calledScore(wanted: ExpectedCall, calls: readonly ObservedCall[], earlier: number): Score {
  const { tool, withinRound, status } = wanted;
  const name = `tools.called ${tool}${earlier === 0 ? "" : ` ${earlier + 1}`}`;
  const ofTool = calls.filter((call) => call.tool === tool);
  if (ofTool.length === 0) return verdict("tool_use", name, false, `${tool} was not called.`);
  const fitting = wanted.arguments === undefined ? ofTool : ofTool.filter((call) => matches(wanted.arguments ?? null, argumentsOf(call)));
  const [first] = fitting;
  if (!first)
    return partial("tool_use", name, 0.5, `${tool} was called with other arguments: ${ofTool[0]?.arguments.slice(0, 200) ?? ""}.`);
  const inTime = withinRound === undefined ? fitting : fitting.filter(({ round }) => round <= withinRound);
  if (inTime.length === 0) return partial("tool_use", name, 0.5, `The first right call of ${tool} came in round ${first.round}.`);
  const ended = status === undefined ? inTime : inTime.filter((call) => call.status === status);
  if (ended.length === 0)
    return partial(
      "tool_use",
      name,
      0.5,
      `${tool} ended as ${inTime.map((call) => call.status ?? "open").join(", ")}, not as ${status ?? ""}.`,
    );
  return verdict("tool_use", name, true, `The first right call of ${tool} came in round ${first.round}.`);
}

function orderScore(order: readonly string[], calls: readonly ObservedCall[]): Score {
  let found = 0;
  for (const { tool } of calls) if (tool === order[found]) found++;
  const missing = order[found];
  const reason =
    missing === undefined
      ? `The tools were called in the order ${order.join(", ")}.`
      : `${missing} did not come after ${order.slice(0, found).join(", ") || "the start"}.`;
  return partial("tool_use", "tools.order", found / order.length, reason);
}

function notCalledScore(tool: string, calls: readonly ObservedCall[]): Score {
  const count = calls.filter((call) => call.tool === tool).length;
  return verdict(
    "tool_use",
    `tools.notCalled ${tool}`,
    count === 0,
    count === 0 ? `${tool} was not called.` : `${tool} was called ${count} times.`,
  );
}

/** Returns the arguments of a call, or the text itself if the model wrote no JSON. */
export function argumentsOf({ arguments: text }: ObservedCall): Json {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
