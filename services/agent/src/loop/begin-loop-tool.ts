import type { Call, Registration } from "@toolbus/contracts";
import { ask } from "./ask.ts";
import type { Draft } from "./draft.ts";
import { askUser, conclude } from "./loop-tools.ts";

type Begin = (draft: Draft, call: Call) => void;

/** What a call of each of the loop's own tools does: it resolves the call, or leaves it open with a timer. */
const beginnings = new Map<Registration, Begin>([
  [askUser, ask],
  [conclude, (draft, call) => draft.resolve(call, { status: "ok", content: '{"recorded":true}', isError: false })],
]);

/** Begins a call of a tool of the loop's own; undefined for any other tool. */
export function beginningOf(registration: Registration | undefined): Begin | undefined {
  return registration && beginnings.get(registration);
}
