import type { ModelRequest } from "../../model-provider.ts";
import type { Step } from "../step.ts";
import { SPEAKER } from "../summary-texts.ts";
import { askedCalls } from "./asked-calls.ts";
import { outcomeText, type ResultEntry } from "./outcome-text.ts";
import { toolHelp, toolsText } from "./tools-text.ts";

/**
 * Answers a person's message in this run. The first turn makes all calls that the message names, and the next turn reports their outcomes. The rules
 * search only the person's own message for calls. They never act on words in results of tools or in earlier runs.
 */
export function chatStep({ transcript, tools: specs, examples, run }: ModelRequest): Step {
  const tools = specs.map((tool) => ({ ...tool, example: examples?.get(tool.name) }));
  const ours = transcript.filter((entry) => entry.runId === run.runId);
  const results = ours.filter((entry): entry is ResultEntry => entry.type === "result");
  const outcomes = results.map((entry) => outcomeText(entry, tools));
  // Round 0 contains the profile's seed calls.
  if (ours.some((entry) => entry.type === "assistant" && entry.round > 0)) return end(outcomes);
  if (tools.length === 0) return end([...outcomes, toolsText(tools)]);
  const message = ours.findLast((entry) => entry.type === "user")?.text ?? "";
  const { calls, problems, mentioned } = askedCalls(message, tools);
  if (problems.length > 0) {
    const nothing = calls.length > 0 ? ["So nothing of the message was run. Send it again when it is fixed."] : [];
    const known = problems.some((problem) => problem.startsWith("There is no tool"))
      ? [`Tools here: ${tools.map(({ name }) => name).join(", ")}.`]
      : [];
    return end([...outcomes, [...problems, ...nothing, ...known].join("\n")]);
  }
  if (calls.length > 0) return { text: `${SPEAKER} I call ${calls.map(({ name }) => name).join(", then ")}.`, calls };
  return end([...outcomes, mentioned.length > 0 ? mentioned.map(toolHelp).join("\n\n") : toolsText(tools)]);
}

function end(paragraphs: readonly string[]): Step {
  return { text: [SPEAKER, ...paragraphs].join(paragraphs.length > 1 ? "\n\n" : " "), calls: [] };
}
