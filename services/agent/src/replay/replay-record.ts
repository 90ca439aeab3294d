import type { Json, NumberedRunEvent, RunRecord } from "@toolbus/contracts";
import { type AskedTurn, askedModel, NotInLog } from "./asked-model.ts";
import { fillWorld } from "./fill-world.ts";
import { findRecorded } from "./find-recorded.ts";
import { type Difference, firstDifference } from "./first-difference.ts";
import { followEvent, type Follower, settled } from "./follow-log.ts";
import type { Profile } from "../profile.ts";
import { recordedProfile, recordedProfileNames } from "./recorded-profile.ts";
import { recordedSettings } from "./recorded-settings.ts";
import { replayClock } from "./replay-clock.ts";
import { replayWorld } from "./replay-world.ts";
import { wholeEntry } from "./whole-entry.ts";

/** What a replay came to. */
export interface Replayed {
  /** Null if every event and every entry of the transcript is byte-equal. */
  readonly difference: Difference | null;
  /** The numbers of events and of entries that are equal. */
  readonly events: number;
  readonly entries: number;
  /** The results that the agent made itself, and those that the log had. */
  readonly derived: number;
  readonly taken: number;
  /** What the model was asked, turn by turn. */
  readonly asked: readonly AskedTurn[];
}

/**
 * Plays a run again from its record. The agent's own steps and transitions run over a store in memory. The log gives them what came from outside, and
 * what they make of it is compared with the log. Nothing leaves this process. Throws `ReplayRefused` for a record without its profile.
 */
export async function replayRecord(record: RunRecord): Promise<Replayed> {
  const model = askedModel();
  const profile = withRoom(recordedProfile(record));
  const world = replayWorld({
    clock: replayClock(record.run.createdAt),
    profile,
    model,
    settings: recordedSettings(record),
    find: findRecorded(record),
    profileNames: recordedProfileNames(record),
  });
  const follower: Follower = { world, record, model, came: new Map() };
  const { runId, conversationId } = record.run;
  const expected = record.events.map(withoutSequence);
  await fillWorld(world, record);
  let said: readonly Json[] = [];
  let difference: Difference | null = null;
  while (!difference && said.length < expected.length) {
    const event = record.events[said.length];
    if (!event) break;
    try {
      await followEvent(follower, event);
    } catch (error) {
      if (!(error instanceof NotInLog)) throw error;
    }
    const before = said.length;
    said = (await world.events(runId)) as unknown as readonly Json[];
    difference = firstDifference("event", expected.slice(0, Math.max(said.length, before + 1)), said);
  }
  await lateOutcomes(follower);
  const own = record.transcript.filter(({ entry }) => entry.runId === runId).map(({ entry }) => entry as unknown as Json);
  const made: Json[] = [];
  for (const stored of await world.transcript(conversationId))
    if (stored.runId === runId) made.push((await wholeEntry(world.state, stored)) as unknown as Json);
  difference ??= firstDifference("transcript", own, made);
  await world.state.close();
  const came = [...follower.came.values()];
  return {
    difference,
    events: difference?.where === "event" ? difference.number - 1 : said.length,
    entries: difference?.where === "transcript" ? difference.number - 1 : Math.min(own.length, made.length),
    derived: came.filter((one) => one === "derived").length,
    taken: came.filter((one) => one === "taken").length,
    asked: model.asked,
  };
}

/**
 * Returns the profile without limits of the context. The log says of each turn which part of the conversation was left out. With the limits, the agent would
 * also shorten the conversation for a model call that gave no turn, and ask for a summary that the log does not have.
 */
function withRoom(profile: Profile | null): Profile | null {
  if (!profile) return null;
  const { context: _, ...rest } = profile;
  return rest;
}

/** Lets the agent add the outcomes that it learned after the end of the run. */
async function lateOutcomes(follower: Follower): Promise<void> {
  const { world, record } = follower;
  const said = new Set(record.events.flatMap((event) => (event.type === "call.settled" ? [event.callId] : [])));
  for (const { entry } of record.transcript) {
    if (entry.runId !== record.run.runId || entry.type !== "assistant" || entry.provider !== "toolbus" || entry.model !== "ledger")
      continue;
    const call = record.calls.find(({ settled: known, callId }) => known !== undefined && (known.at === entry.at || said.has(callId)));
    world.clock.set(entry.at);
    if (call) await settled(follower, call.callId);
  }
}

function withoutSequence({ sequence: _, ...event }: NumberedRunEvent): Json {
  return event as unknown as Json;
}
