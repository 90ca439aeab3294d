import {
  type Json,
  keys,
  message,
  messageTypes,
  type OperationsReplay,
  parseKeptLetter,
  parseReplayRequest,
  type ReplayRequest,
  shardOf,
  topics,
} from "@toolbus/contracts";
import type { Outbox } from "@toolbus/runtime";
import type { Change, StateStore, TimerRow } from "@toolbus/state";
import { type GatewayConfig, GATEWAY_SERVICE } from "../settings.ts";

const PREFIX = "replay:";
const LONGEST_WAIT_MS = 300_000;

export const isReplayTimer = ({ id }: Pick<TimerRow, "id">): boolean => id.startsWith(PREFIX);

/** Returns the message that asks for a replay, and the timer that repeats it until the dead letter shows its replay. `n` distinguishes repeats. */
export function announcedReplay(
  { letterId, askedAt }: ReplayRequest,
  n: number,
  { WAKE_REPEAT_MS }: GatewayConfig,
  now: number,
): Required<Pick<Change, "timers" | "outbox">> {
  const body: OperationsReplay = { letterId };
  const asked = message({
    id: `ask:${letterId}#g${n}`,
    topic: topics.operationsReplay,
    type: messageTypes.operationsReplay,
    source: "/gateway",
    now,
    body,
  });
  // Each pause is as long as the whole time since the request. So a worker that is away for days finds few repeats.
  const dueIn = Math.min(Math.max(WAKE_REPEAT_MS, now - askedAt), Math.max(WAKE_REPEAT_MS, LONGEST_WAIT_MS));
  return {
    timers: [{ service: GATEWAY_SERVICE, id: PREFIX + letterId, dueIn }],
    // Each dead letter has one row in the outbox, and the next repeat replaces the message in the row.
    outbox: [
      { service: GATEWAY_SERVICE, id: asked.id.replace(/#g\d+$/, ""), topic: asked.topic, message: asked as unknown as Json, dueIn: 0 },
    ],
  };
}

/** Asks again for a replay that is not done. Removes the timer when the replay is done or the dead letter has expired. */
export async function onReplayTimer(state: StateStore, outbox: Outbox, config: GatewayConfig, timer: TimerRow): Promise<void> {
  const letterId = timer.id.slice(PREFIX.length);
  const key = keys.replayRequest(letterId);
  const { now, documents } = await state.read([key, keys.deadLetter(letterId)]);
  const request = parseReplayRequest(documents[0]?.value);
  const letter = parseKeptLetter(documents[1]?.value);
  const guards = [{ key, version: documents[0]?.version ?? 0 }];
  if (!request.ok || !letter.ok || letter.value.replayed) {
    await state.commit(timer.shard, {
      op: `replay-over:${letterId}`,
      guards,
      timers: [{ service: GATEWAY_SERVICE, id: timer.id, dueIn: null }],
    });
    return;
  }
  await outbox.commit(shardOf(letterId), {
    op: `ask-again:${letterId}:${now}`,
    guards,
    ...announcedReplay(request.value, now, config, now),
  });
}
