import { replayRecord } from "@toolbus/agent";
import type { NumberedRunEvent, RunRecord } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { quietPlan } from "../world/plan.ts";
import type { Habits } from "../world/persons.ts";
import { runWorld } from "../world/world.ts";
import { worldRecords } from "./world-records.ts";

type Turns = Parameters<typeof quietPlan>[1];

const READ_AND_WRITES: Turns = [
  [{ name: "look_up", n: 1 }],
  [
    { name: "high_key", n: 2 },
    { name: "low_key", n: 3 },
  ],
];

/** Returns the record of the one run of a world. */
async function recorded(turns: Turns, habits: Partial<Habits> = {}): Promise<RunRecord> {
  const { records } = await worldRecords(await runWorld(quietPlan("replayed", turns, habits)));
  const [record] = records;
  if (!record) throw new Error("The world has no run.");
  return record;
}

/** Returns the record with one event as another version of the agent would have said it. */
function withEvent(record: RunRecord, is: (event: NumberedRunEvent) => boolean, part: object): RunRecord {
  const changed = record.events.findIndex(is);
  expect(changed).toBeGreaterThanOrEqual(0);
  return { ...record, events: record.events.map((event, n) => (n === changed ? ({ ...event, ...part } as NumberedRunEvent) : event)) };
}

describe("a replay of a log that another version of the agent wrote", () => {
  it("refuses a profile that lacks parts in one sentence", async () => {
    const record = await recorded(READ_AND_WRITES);
    if (!record.profile?.profile) throw new Error("The record has no profile.");
    for (const part of ["systemPrompt", "tools", "limits", "seedCalls", "report"]) {
      const { [part]: _, ...rest } = record.profile.profile;
      await expect(replayRecord({ ...record, profile: { ...record.profile, profile: rest } })).rejects.toThrow(
        /^The profile in the record of rn_\S+ lacks parts:/,
      );
    }
  });

  it("finds another sum of the usage", async () => {
    const record = await recorded(READ_AND_WRITES);
    expect((await replayRecord(record)).difference).toBeNull();
    const other = withEvent(record, ({ type }) => type === "call.resolved", {
      usage: { inputTokens: 10, outputTokens: 5, modelCalls: 1, toolCalls: 2 },
    });
    expect((await replayRecord(other)).difference).toMatchObject({ where: "event", number: 3, member: "usage.toolCalls" });
  });

  it("finds another text of a denial, in the event and in the transcript", async () => {
    const record = await recorded(READ_AND_WRITES, { denies: 1 });
    expect((await replayRecord(record)).difference).toBeNull();
    const denied = ({ type, ...event }: NumberedRunEvent) => type === "call.resolved" && "status" in event && event.status === "denied";
    const inEvent = withEvent(record, denied, { content: '{"error":"denied_by_user"}' });
    expect((await replayRecord(inEvent)).difference).toMatchObject({ where: "event", member: "content" });
    const inTranscript: RunRecord = {
      ...record,
      transcript: record.transcript.map(({ sequence, entry }) => ({
        sequence,
        entry: entry.type === "result" && entry.status === "denied" ? { ...entry, content: "Denied." } : entry,
      })),
    };
    expect((await replayRecord(inTranscript)).difference).toMatchObject({ where: "transcript", member: "content" });
  });

  it("finds a write that was not skipped after a denied one", async () => {
    const record = await recorded(READ_AND_WRITES, { denies: 1 });
    const skipped = record.events.findIndex((event) => event.type === "call.resolved" && event.status === "not_executed");
    expect(skipped).toBeGreaterThan(0);
    const without: RunRecord = { ...record, events: record.events.filter((_, n) => n !== skipped) };
    expect((await replayRecord(without)).difference).toMatchObject({ where: "event", number: skipped + 1 });
  });

  it("takes no result from the log that only the agent can make", async () => {
    const record = await recorded(READ_AND_WRITES, { denies: 1 });
    const { profile } = record;
    const other: RunRecord = {
      ...record,
      profile: profile && { ...profile, profile: { ...profile.profile, continueAfterFailedWrite: true } },
    };
    expect((await replayRecord(other)).difference).toMatchObject({ where: "event", expected: { status: "not_executed" }, got: null });
  });

  it("finds an event that is too many", async () => {
    const record = await recorded(READ_AND_WRITES);
    const last = record.events.length - 1;
    const added: RunRecord = { ...record, events: [...record.events, { ...(record.events[1] as NumberedRunEvent), sequence: last + 2 }] };
    expect((await replayRecord(added)).difference).toMatchObject({ where: "event", number: last + 2, got: null });
  });

  it("finds a limit of the profile that did not end the run", async () => {
    const record = await recorded([[{ name: "look_up", n: 1 }], [{ name: "look_up", n: 2 }]]);
    const { profile } = record;
    const limits = { ...(profile?.profile?.["limits"] as object), maxRounds: 2 };
    const other: RunRecord = { ...record, profile: profile && { ...profile, profile: { ...profile.profile, limits } } };
    expect((await replayRecord(other)).difference).toMatchObject({ where: "event", got: { type: "run.failed", code: "round_limit" } });
  });
});
