import { failedResult, goneSince, keys, parseRegistration, type Registration } from "@toolbus/contracts";
import type { InvokeContext, Outcome } from "../calls/invoke-context.ts";
import { type ToolCall, withRecord } from "../tool/tool-call.ts";
import { cleanText } from "../tool/tool-problem.ts";

/**
 * The number of times that a worker returns an unknown call to the queue. The first wait is `FIRST_WAIT_MS`. The wait doubles each time, and up to
 * half of it is added at random.
 */
const HAND_OVERS = 8;
const FIRST_WAIT_MS = 100;

/**
 * Decides what to do with a call of a tool or a version that this worker does not have. Returns null if nobody registered the tool, so that the call
 * can be refused.
 *
 * Workers of one toolset share a queue, and during a deployment they serve different versions. If a worker that serves the version was seen recently,
 * the call returns to the queue for that worker. If not, a read receives the answer that its tool was changed. A write never receives this answer,
 * because another delivery of it may be on its way to a worker that runs it. So the agent's timer and the ledger decide its outcome.
 */
export async function elsewhere(call: ToolCall, context: InvokeContext): Promise<Outcome | null> {
  const { registration, now } = await registrationOf(call, context);
  if (!registration) return null;
  // A store with an exclusive lock knows that every worker seen before the store was opened is dead.
  const served = goneSince(registration, now) === null && registration.lastSeenAt >= context.state.ownersDeadBefore;
  if (served && call.count <= HAND_OVERS)
    return { kind: "retry", after: waitMs(call, context), reason: "another worker of the toolset serves this version" };
  if (served || registration.definition.kind === "write")
    return { kind: "drop", reason: "no worker that serves this version took it; the agent's timer sends it again" };
  return { kind: "answer", result: withRecord(call, failedResult("tool_changed", gone(call, context)), 1, context.monotonic) };
}

/** Returns a random wait. If two workers returned two calls in step, each call could reach the wrong worker again and again. */
function waitMs({ count }: ToolCall, { random }: InvokeContext): number {
  const wait = FIRST_WAIT_MS * 2 ** (count - 1);
  return wait + Math.floor((wait / 2) * ((random(1)[0] ?? 0) / 256));
}

async function registrationOf(
  { toolName, toolVersion }: ToolCall,
  { state, toolset }: InvokeContext,
): Promise<{ readonly registration: Registration | null; readonly now: number }> {
  if (toolVersion === undefined) return { registration: null, now: 0 };
  const { now, documents } = await state.read([keys.registration(toolset.name, toolName, toolVersion)]);
  const parsed = documents[0] ? parseRegistration(documents[0].value) : null;
  return { registration: parsed?.ok ? parsed.value : null, now };
}

function gone({ toolName, toolVersion = "" }: ToolCall, { toolset }: InvokeContext): string {
  const served = versionsOf(toolName, toolset);
  const instead = served.length === 0 ? "" : ` Served now: ${served.join(", ")}.`;
  return `No worker serves version ${cleanText(toolVersion, 40)} of "${cleanText(toolName, 64)}" any more; nothing was done.${instead} A new run gets a version that is served, if there is one.`;
}

/** Returns the versions of a tool that this worker has. */
export function versionsOf(toolName: string, toolset: InvokeContext["toolset"]): readonly string[] {
  return toolset
    .list()
    .filter(({ definition }) => definition.name === toolName)
    .map(({ definition }) => definition.version);
}
