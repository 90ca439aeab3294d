import {
  keys,
  type NumberedRunEvent,
  parseProfileText,
  type ProfileText,
  RUN_RECORD_FORMAT,
  type RecordedRun,
  type Run,
  type RunRecord,
} from "@toolbus/contracts";
import { RESULT_GONE, wholeEvents } from "@toolbus/runtime";
import type { StateStore } from "@toolbus/state";
import { refused, type Refused } from "../refused.ts";
import type { OwnRun } from "../run-access.ts";
import { recordedCalls, recordedTools } from "./recorded-calls.ts";
import { recordedTranscript } from "./recorded-transcript.ts";

/** The parts of the store that a record is read from. */
export type RecordReader = Pick<StateStore, "read" | "range" | "getBlob" | "putBlob">;

const PAGE = 100;

/**
 * Returns everything that is needed to play a run again. `mayReadProfile` is false for a caller who must not read the prompt. Refuses a run of which
 * the store no longer has a part without which a replay would differ.
 */
export async function runRecord(
  state: RecordReader,
  { now, runId, origin, run }: OwnRun,
  { mayReadProfile }: { readonly mayReadProfile: boolean },
): Promise<{ readonly kind: "found"; readonly record: RunRecord } | Refused> {
  if (!run) return refused("not_replayable", `No agent has taken the run ${runId} yet, so there is nothing to record.`, LATER);
  const events = await eventsOf(state, run);
  if (events.length < run.events || events.some((event) => event.type === "call.resolved" && event.content === RESULT_GONE))
    return gone(runId);
  const transcript = await recordedTranscript(state, run.conversationId, runId);
  const asked = events.flatMap((event) => (event.type === "turn" ? event.calls : []));
  if (asked.length > 0 && !transcript.hasRun) return gone(runId);
  const calls = await recordedCalls(
    state,
    asked.map(({ callId }) => callId),
  );
  if (calls.length < asked.length || calls.some(({ state: at, result }) => at === "resolved" && result === null)) return gone(runId);
  const remembered = await recordedCalls(
    state,
    transcript.entries.flatMap(({ entry }) =>
      entry.type === "result" && entry.indexKey !== undefined && entry.runId !== runId ? [entry.callId] : [],
    ),
  );
  const tools = await recordedTools(state, [
    ...run.tools,
    ...calls.map(({ toolset, toolName: name, toolVersion: version, toolHash: hash }) => ({ toolset, name, version, hash })),
  ]);
  const profile = run.profileHash !== undefined && mayReadProfile ? await profileOf(state, run.profileHash) : null;
  const missing = run.tools.filter(({ hash }) => !tools.some((tool) => tool.hash === hash)).map(({ name }) => name);
  const { tenant, principal, via, createdAt } = origin;
  return {
    kind: "found",
    record: {
      format: RUN_RECORD_FORMAT,
      at: now,
      origin: { tenant, principal, via: via.kind, createdAt },
      run: recordedRun(run),
      calls: [...calls],
      remembered: [...remembered],
      events: [...events],
      transcript: [...transcript.entries],
      tools: [...tools],
      profile,
      leftOut: [
        ...ALWAYS_LEFT_OUT,
        ...(transcript.cut ? ["The oldest messages of the conversation are left out, because they are too long."] : []),
        ...(missing.length > 0 ? [`The store no longer has the definitions of ${missing.join(", ")}.`] : []),
        ...(profile?.profile ? [] : [mayReadProfile ? NO_PROFILE : PROFILE_OF_OPERATORS]),
      ],
    },
  };
}

const LATER = "Try again when the run has begun.";
const ALWAYS_LEFT_OUT = [
  "The record has no secrets of calls, no grants, no receipts and no keys.",
  "The record has no answers to the questions of tools, and no pictures, sounds or files of results.",
];
const NO_PROFILE = "The store does not have the profile with which the run began.";
const PROFILE_OF_OPERATORS = "Only an operator may read the profile of the run.";

function gone(runId: string): Refused {
  return refused(
    "expired",
    `The run ${runId} cannot be played again, because its conversation was deleted or parts of its log are no longer kept.`,
    'Save runs that you want to keep with "toolbus runs record" before they expire.',
  );
}

async function eventsOf(state: RecordReader, { runId, conversationId }: Run): Promise<readonly NumberedRunEvent[]> {
  const events: NumberedRunEvent[] = [];
  for (;;) {
    const page = await state.range(keys.events(runId), { after: events.at(-1)?.sequence ?? 0, limit: PAGE });
    const whole = await wholeEvents(state, conversationId, page);
    for (const [n, event] of whole.entries()) events.push({ sequence: page[n]?.sequence ?? 0, ...event });
    if (page.length < PAGE) return events;
  }
}

async function profileOf(state: RecordReader, hash: string): Promise<ProfileText | null> {
  const { documents } = await state.read([keys.profileText(hash)]);
  const text = parseProfileText(documents[0]?.value);
  return text.ok && text.value.hash === hash ? text.value : null;
}

function recordedRun(run: Run): RecordedRun {
  const { runId, conversationId, agent, profile, profileHash, input, message, choice, ordinal, accepted } = run;
  const { status, tools, rights, registryVersion, activeMs, createdAt, startedAt, endedAt } = run;
  return {
    runId,
    conversationId,
    agent,
    profile,
    input,
    message,
    ordinal,
    accepted,
    status,
    tools,
    registryVersion,
    activeMs,
    createdAt,
    startedAt,
    endedAt,
    ...(profileHash === undefined ? {} : { profileHash }),
    ...(choice === undefined ? {} : { choice }),
    ...(rights === undefined ? {} : { rights }),
  };
}
