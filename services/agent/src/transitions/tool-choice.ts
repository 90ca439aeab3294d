import type { Run, ToolChoice } from "@toolbus/contracts";
import type { Profile } from "../profile.ts";

/**
 * Returns what the model must do with its tools in its next turn. If a profile demands a call, the demand applies only to the first turn of a run. A
 * model that had to call a tool in every turn would never answer. A demand for a tool that is not offered is ignored. Without any offered tool, the
 * choice is `none`.
 */
export function toolChoiceOf({ toolChoice }: Profile, run: Run, tools: ReadonlyMap<string, unknown>): ToolChoice {
  if (tools.size === 0) return "none";
  if (toolChoice === "auto" || toolChoice === "none") return toolChoice;
  const first = run.usage.modelCalls === 0;
  const possible = toolChoice === "required" || tools.has(toolChoice.slice("tool:".length));
  return first && possible ? toolChoice : "auto";
}
