import { type Json, keys, parseCall, type ToolProgress, type ToolProgressed } from "@toolbus/contracts";
import { secretHash } from "@toolbus/grants";
import type { StateStore } from "@toolbus/state";
import { isShardOf } from "../documents/own-shard.ts";

// The most progress messages that are handled at once. Further ones are dropped, because progress is only shown and newer progress follows.
const MAX_UNDER_WAY = 64;

/**
 * Returns a listener that shows viewers the progress that tools report, on a best-effort basis. It accepts progress only for a sent call, from a
 * sender that knows the call's secret. Every replica of the agent receives and shows it, and a viewer's gateway drops the duplicates. If progress
 * says that the questions of a call have changed, `noteQuestions` adds them to the events of the run.
 */
export function progressListener(
  state: StateStore,
  noteQuestions: (callId: string, proof: string) => Promise<void>,
): (progress: ToolProgress) => Promise<void> {
  let underWay = 0;
  return async (progress) => {
    if (underWay >= MAX_UNDER_WAY || !isShardOf(state, progress.toolCallId)) return;
    underWay++;
    try {
      await show(state, progress);
      if (progress.questions === true) await noteQuestions(progress.toolCallId, progress.secretHash);
    } finally {
      underWay--;
    }
  };
}

async function show(state: StateStore, { toolCallId, n, message, fraction, secretHash: proof }: ToolProgress): Promise<void> {
  const { now, documents } = await state.read([keys.call(toolCallId)]);
  const call = parseCall(documents[0]?.value);
  if (!call.ok || call.value.state !== "dispatched" || proof !== secretHash(call.value.secret)) return;
  const { callId, runId, toolName: tool } = call.value;
  const shown: ToolProgressed = { type: "progress", callId, tool, n, at: now, message, ...(fraction === undefined ? {} : { fraction }) };
  await state.live(keys.live(runId), shown as unknown as Json);
}
