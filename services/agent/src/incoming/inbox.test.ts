import { keys } from "@toolbus/contracts";
import { offlineModel } from "@toolbus/models";
import { ownKeys } from "@toolbus/grants";
import { describe, expect, it } from "vitest";
import { signedOrigin } from "../testing/origin-under-test.ts";
import { OriginUndecided } from "../origins.ts";
import { advanceRun } from "../steps/advance.ts";
import { takeEntry } from "./inbox.ts";
import { asks, RUN } from "../testing/test-bundle.ts";
import { readerUnderTest } from "../testing/test-reader.ts";
import { onTimer } from "./timers.ts";

const SECOND = "rn_03_01JD0000000000000000000002";

describe("taking an inbox entry", () => {
  it("starts the run with the tools that the registry holds for its profile", async () => {
    await using s = await readerUnderTest();
    await takeEntry(s.reader, RUN, RUN);
    expect((await s.b.snapshot()).run.value.tools.map((tool) => tool.name)).toEqual(["look", "change"]);
  });

  it("leaves out tools that are switched off here, for this run only from its start", async () => {
    await using s = await readerUnderTest(["change"]);
    await takeEntry(s.reader, RUN, RUN);
    expect((await s.b.snapshot()).run.value.tools.map((tool) => tool.name)).toEqual(["look"]);
  });

  it("taken again changes nothing", async () => {
    await using s = await readerUnderTest();
    await takeEntry(s.reader, RUN, RUN);
    const before = await s.b.snapshot();
    await takeEntry(s.reader, RUN, RUN);
    expect((await s.b.snapshot()).run).toEqual(before.run);
  });

  it("cancels a run, and leaves a cancel that comes before its run to the gateway's timer", async () => {
    await using s = await readerUnderTest();
    const cancel = `${RUN}!cancel`;
    await s.put(cancel, { kind: "cancel", entryId: cancel, runId: RUN, agent: "default", by: "ada", acceptedAt: 1 });
    await takeEntry(s.reader, RUN, cancel);
    await takeEntry(s.reader, RUN, RUN);
    expect((await s.b.snapshot()).run.value.status).toBe("ready");
    await takeEntry(s.reader, RUN, cancel);
    expect((await s.b.snapshot()).run.value).toMatchObject({ status: "cancelled", cancel: { by: "ada" } });
  });

  it("hints to the workers of sent calls that a cancelled run no longer waits for them", async () => {
    await using s = await readerUnderTest();
    await takeEntry(s.reader, RUN, RUN);
    await s.b.turn([asks("look", "a"), asks("change", "w")]);
    const cancel = `${RUN}!cancel`;
    await s.put(cancel, { kind: "cancel", entryId: cancel, runId: RUN, agent: "default", by: "ada", acceptedAt: 1 });
    await takeEntry(s.reader, RUN, cancel);
    await takeEntry(s.reader, RUN, cancel);
    expect(s.announced.map(({ topic, body }) => [topic, body])).toEqual([["tool.cancel", JSON.stringify({ toolCallId: `${RUN}.1.0` })]]);
  });

  it("interrupts in the name of the message's sender, and hints to the workers of the interrupted run", async () => {
    await using s = await readerUnderTest();
    await takeEntry(s.reader, RUN, RUN);
    await s.b.turn([asks("look", "a")]);
    await s.put(SECOND, { ...(await s.message()), entryId: SECOND, runId: SECOND, ifActive: "interrupt" }, { principal: "user:una" });
    await takeEntry(s.reader, SECOND, SECOND);
    expect((await s.b.snapshot()).run.value.cancel).toMatchObject({ by: "user:una" });
    expect(s.announced.map(({ topic }) => topic)).toEqual(["tool.cancel"]);
    await takeEntry(s.reader, SECOND, SECOND);
    expect(s.announced).toHaveLength(1);
  });

  it("ends the run of a message whose sender is unknown", async () => {
    await using s = await readerUnderTest();
    await s.put(SECOND, { ...(await s.message()), entryId: SECOND, runId: SECOND }, null);
    await takeEntry(s.reader, SECOND, SECOND);
    expect((await s.b.snapshot(SECOND)).run.value).toMatchObject({ status: "failed", tools: [], ending: { code: "origin_unknown" } });
  });

  it("ends the run of a message whose origin somebody else has signed or changed", async () => {
    await using s = await readerUnderTest();
    const entry = { ...(await s.message()), entryId: SECOND, runId: SECOND };
    await s.put(SECOND, entry);
    const key = keys.runOrigin(SECOND);
    const [origin] = (await s.reader.state.read([key])).documents;
    const raised = { ...(origin?.value as object), scopes: ["everything"] };
    await s.reader.state.commit("03", { op: "raise", guards: [{ key, version: origin?.version ?? 0 }], put: [{ key, value: raised }] });
    await takeEntry(s.reader, SECOND, SECOND);
    expect((await s.b.snapshot(SECOND)).run.value).toMatchObject({ status: "failed", ending: { code: "origin_unknown" } });
  });

  it("leaves a message for later if its origin is signed by a key that is not known here yet", async () => {
    await using s = await readerUnderTest();
    const entry = { ...(await s.message()), entryId: SECOND, runId: SECOND };
    await s.put(SECOND, entry, null);
    const value = await signedOrigin(entry, (await ownKeys(["gateway"])).identityOf("gateway"));
    const key = keys.runOrigin(SECOND);
    await s.reader.state.commit("03", { op: "new key", guards: [{ key, version: 0 }], put: [{ key, value }] });
    await expect(takeEntry(s.reader, SECOND, SECOND)).rejects.toBeInstanceOf(OriginUndecided);
    expect((await s.reader.state.read([keys.run(SECOND)])).documents[0]).toBeNull();
  });

  it("stores with the run what its requester may use", async () => {
    await using s = await readerUnderTest();
    await s.put(SECOND, { ...(await s.message()), entryId: SECOND, runId: SECOND }, { rights: { scopes: ["a"], tools: ["web"] } });
    await takeEntry(s.reader, SECOND, SECOND);
    expect((await s.b.snapshot(SECOND)).run.value).toMatchObject({ status: "ready", tools: [], rights: { scopes: ["a"], tools: ["web"] } });
  });

  it("takes messages in the order in which they were accepted, not in that of their wakes", async () => {
    await using s = await readerUnderTest();
    await takeEntry(s.reader, RUN, RUN);
    const [second, third] = [SECOND, `${SECOND.slice(0, -1)}3`];
    for (const runId of [second, third]) await s.put(runId, { ...(await s.message()), entryId: runId, runId });
    for (const runId of [third, second]) await takeEntry(s.reader, runId, runId);
    expect((await s.b.snapshot()).conversation.value.queue.map((queued) => queued.runId)).toEqual([second, third]);
  });

  it("joins the person's answer to the question, and drops a second one", async () => {
    await using s = await readerUnderTest([], offlineModel(), { askUser: true });
    await takeEntry(s.reader, RUN, RUN);
    await s.b.turn([asks("ask_user", "q", { question: "Which one?" })]);
    const callId = `${RUN}.1.0`;
    for (const [n, text] of ["the first", "the second"].entries()) {
      const entryId = `${callId}!answer${n}`;
      await s.put(entryId, { kind: "answer", entryId, runId: RUN, callId, agent: "default", by: "user:una", text, acceptedAt: 1 });
      await takeEntry(s.reader, RUN, entryId);
      await takeEntry(s.reader, RUN, entryId);
    }
    expect((await s.b.call(0)).result?.content).toBe('{"answer":"the first"}');
    expect((await s.b.transcript()).filter((entry) => entry.type === "result")).toHaveLength(1);
  });

  it("ends the run of an unknown profile instead of retrying it forever", async () => {
    await using s = await readerUnderTest();
    await s.put(SECOND, { ...(await s.message()), entryId: SECOND, runId: SECOND, profile: "chef" });
    await takeEntry(s.reader, SECOND, SECOND);
    expect((await s.b.snapshot(SECOND)).run.value).toMatchObject({ status: "failed", ending: { code: "profile_unknown" } });
  });

  it("ignores a wake that names another run's entry, no entry, or one that breaks its schema", async () => {
    await using s = await readerUnderTest();
    await s.put("odd", { kind: "message", entryId: "odd" });
    for (const entry of [RUN, "absent", "odd"]) await takeEntry(s.reader, `${RUN}~1`, entry);
    expect((await s.b.state.read([keys.run(RUN), keys.run(`${RUN}~1`)])).documents).toEqual([null, null]);
  });
});

describe("a step", () => {
  it("is committed although another message was queued in the meantime, and asks the model once", async () => {
    const second = SECOND;
    let asked = 0;
    let meanwhile: () => Promise<void> = async () => undefined;
    const model = offlineModel();
    await using s = await readerUnderTest([], {
      ...model,
      async complete(request, context) {
        asked++;
        await meanwhile();
        return model.complete(request, context);
      },
    });
    meanwhile = () => s.b.start({ runId: second, entryId: second });
    await takeEntry(s.reader, RUN, RUN);
    await advanceRun(s.reader, RUN, { by: "m1", redelivered: false }, new AbortController().signal);
    expect((await s.b.snapshot()).run.value.status).toBe("done");
    expect((await s.b.snapshot(second)).run.value.status).toBe("ready");
    expect(asked).toBe(1);
  });

  it("is discarded when the run was cancelled in the meantime", async () => {
    let meanwhile: () => Promise<void> = async () => undefined;
    const model = offlineModel();
    await using s = await readerUnderTest([], {
      ...model,
      async complete(request, context) {
        await meanwhile();
        return model.complete(request, context);
      },
    });
    const cancel = `${RUN}!cancel`;
    await s.put(cancel, { kind: "cancel", entryId: cancel, runId: RUN, agent: "default", by: "ada", acceptedAt: 1 });
    meanwhile = async () => void (await takeEntry(s.reader, RUN, cancel));
    await takeEntry(s.reader, RUN, RUN);
    await advanceRun(s.reader, RUN, { by: "m1", redelivered: false }, new AbortController().signal);
    expect((await s.b.events()).map((event) => event.type)).toEqual(["run.started", "run.cancelling", "run.cancelled"]);
  });
});

describe("a timer of the agent", () => {
  const row = (id: string) => ({ shard: "03", id, due: 0 });

  it("advances a ready run although every wake was lost", async () => {
    await using s = await readerUnderTest();
    await takeEntry(s.reader, RUN, RUN);
    await onTimer(s.reader, row(`run:${RUN}`), new AbortController().signal);
    expect((await s.b.snapshot()).run.value.status).toBe("done");
  });

  it("is removed when its object has ended or is gone", async () => {
    await using s = await readerUnderTest();
    const gone = `${RUN}~1`;
    await s.b.state.commit("03", {
      op: "t",
      guards: [{ key: keys.run(gone), version: 0 }],
      timers: [
        { service: "agent", id: `run:${gone}`, dueIn: 0 },
        { service: "agent", id: `call:${gone}.0.0`, dueIn: 0 },
      ],
    });
    await onTimer(s.reader, row(`run:${gone}`), new AbortController().signal);
    await onTimer(s.reader, row(`call:${gone}.0.0`), new AbortController().signal);
    expect(await s.b.timers()).toEqual([]);
  });
});
