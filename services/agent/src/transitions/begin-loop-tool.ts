import { type Call, failedResult, type Registration, type ToolResult } from "@toolbus/contracts";
import { ask } from "./ask.ts";
import type { Draft } from "./draft.ts";
import { askUser, conclude, recallTool } from "./loop-tools.ts";
import { endCall } from "./end-call.ts";

type Begin = (draft: Draft, call: Call, recalled: ToolResult | undefined) => void;

/** The functions that begin a call of the loop's own tools. Each resolves the call, or leaves it open with a timer. */
const beginnings = new Map<Registration, Begin>([
  [askUser, ask],
  [conclude, (draft, call) => endCall(draft, call, { status: "ok", content: '{"recorded":true}', isError: false })],
  [
    recallTool,
    (draft, call, recalled) => endCall(draft, call, recalled ?? failedResult("not_in_working_memory", "Nothing was read: give one key.")),
  ],
]);

/** Returns the function that begins a call of one of the loop's own tools, or undefined for any other tool. */
export function beginningOf(registration: Registration | undefined): Begin | undefined {
  return registration && beginnings.get(registration);
}
