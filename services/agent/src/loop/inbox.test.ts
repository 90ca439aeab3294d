import { memoryBus } from "@toolbus/bus";
import { type Json, keys, type Message } from "@toolbus/contracts";
import { type ModelProvider, offlineModel } from "@toolbus/models";
import { startOutbox } from "@toolbus/runtime";
import { silentLog } from "@toolbus/telemetry";
import { describe, expect, it } from "vitest";
import { catalogue } from "../catalogue.ts";
import { advanceRun } from "./advance.ts";
import { takeEntry } from "./inbox.ts";
import { asks, bundle, CONVERSATION, RUN } from "./test-bundle.ts";
import { onTimer } from "./timers.ts";

async function setup(disabledTools: readonly string[] = [], provider: ModelProvider = offlineModel()) {
  const b = bundle();
  const bus = memoryBus({});
  const { state, rules } = b;
  const announced: Message[] = [];
  const outbox = startOutbox({ state, bus, service: "agent", log: silentLog, visibilityMs: 4000, pollMs: 60_000 });
  const reader = {
    state,
    outbox,
    provider,
    catalogue: catalogue(state),
    rules,
    log: silentLog,
    disabledTools: new Set(disabledTools),
    announce: async (message: Message) => void announced.push(message),
  };
  for (const registration of b.tools.values()) {
    const { name, version } = registration.definition;
    const key = keys.registration("test", name, version);
    await state.commit("00", {
      op: `r:${name}`,
      guards: [{ key, version: 0 }],
      put: [{ key, value: registration as unknown as Json }],
      index: [{ index: keys.registryIndex(), member: `test/${name}@${version}`, score: 0 }],
    });
  }
  const put = (entryId: string, entry: object) =>
    state.commit("03", {
      op: `put:${entryId}`,
      guards: [{ key: keys.inbox("03", entryId), version: 0 }],
      put: [{ key: keys.inbox("03", entryId), value: entry as Json }],
    });
  await put(RUN, {
    kind: "message",
    entryId: RUN,
    runId: RUN,
    conversationId: CONVERSATION,
    agent: "default",
    profile: "test",
    text: "Do it.",
    input: {},
    acceptedAt: 1,
  });
  return {
    b,
    announced,
    reader,
    put,
    async [Symbol.asyncDispose]() {
      await outbox.stop();
      await bus.close();
    },
  };
}

describe("taking an inbox entry", () => {
  it("starts the run with the tools that the registry holds for its profile", async () => {
    await using s = await setup();
    await takeEntry(s.reader, RUN, RUN);
    expect((await s.b.snapshot()).run.value.tools.map((tool) => tool.name)).toEqual(["look", "change"]);
  });

  it("leaves out tools that are switched off here, for this run only from its start", async () => {
    await using s = await setup(["change"]);
    await takeEntry(s.reader, RUN, RUN);
    expect((await s.b.snapshot()).run.value.tools.map((tool) => tool.name)).toEqual(["look"]);
  });

  it("taken again changes nothing", async () => {
    await using s = await setup();
    await takeEntry(s.reader, RUN, RUN);
    const before = await s.b.snapshot();
    await takeEntry(s.reader, RUN, RUN);
    expect((await s.b.snapshot()).run).toEqual(before.run);
  });

  it("cancels a run, and leaves a cancel that comes before its run to the timer of who accepted it", async () => {
    await using s = await setup();
    const cancel = `${RUN}!cancel`;
    await s.put(cancel, { kind: "cancel", entryId: cancel, runId: RUN, agent: "default", by: "ada", acceptedAt: 1 });
    await takeEntry(s.reader, RUN, cancel);
    await takeEntry(s.reader, RUN, RUN);
    expect((await s.b.snapshot()).run.value.status).toBe("ready");
    await takeEntry(s.reader, RUN, cancel);
    expect((await s.b.snapshot()).run.value).toMatchObject({ status: "cancelled", cancel: { by: "ada" } });
  });

  it("hints to the workers of sent calls that a cancelled run waits for them no more", async () => {
    await using s = await setup();
    await takeEntry(s.reader, RUN, RUN);
    await s.b.turn([asks("look", "a"), asks("change", "w")]);
    const cancel = `${RUN}!cancel`;
    await s.put(cancel, { kind: "cancel", entryId: cancel, runId: RUN, agent: "default", by: "ada", acceptedAt: 1 });
    await takeEntry(s.reader, RUN, cancel);
    await takeEntry(s.reader, RUN, cancel);
    expect(s.announced.map(({ topic, body }) => [topic, body])).toEqual([["tool.cancel", JSON.stringify({ toolCallId: `${RUN}.1.0` })]]);
  });

  it("follows no wake that names another run's entry, none, or one that breaks its schema", async () => {
    await using s = await setup();
    await s.put("odd", { kind: "message", entryId: "odd" });
    for (const entry of [RUN, "absent", "odd"]) await takeEntry(s.reader, `${RUN}~1`, entry);
    expect((await s.b.state.read([keys.run(RUN), keys.run(`${RUN}~1`)])).documents).toEqual([null, null]);
  });
});

describe("a step", () => {
  it("is committed although another message is queued meanwhile, and asks the model once", async () => {
    const second = "rn_03_01JD0000000000000000000002";
    let asked = 0;
    let meanwhile: () => Promise<void> = async () => undefined;
    const model = offlineModel();
    await using s = await setup([], {
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

  it("is thrown away when the run was cancelled meanwhile", async () => {
    let meanwhile: () => Promise<void> = async () => undefined;
    const model = offlineModel();
    await using s = await setup([], {
      ...model,
      async complete(request, context) {
        await meanwhile();
        return model.complete(request, context);
      },
    });
    const cancel = `${RUN}!cancel`;
    await s.put(cancel, { kind: "cancel", entryId: cancel, runId: RUN, agent: "default", by: "ada", acceptedAt: 1 });
    meanwhile = () => takeEntry(s.reader, RUN, cancel);
    await takeEntry(s.reader, RUN, RUN);
    await advanceRun(s.reader, RUN, { by: "m1", redelivered: false }, new AbortController().signal);
    expect((await s.b.events()).map((event) => event.type)).toEqual(["run.started", "run.cancelling", "run.cancelled"]);
  });
});

describe("a timer of the agent", () => {
  const row = (id: string) => ({ shard: "03", id, due: 0 });

  it("takes a ready run further although every wake was lost", async () => {
    await using s = await setup();
    await takeEntry(s.reader, RUN, RUN);
    await onTimer(s.reader, row(`run:${RUN}`), new AbortController().signal);
    expect((await s.b.snapshot()).run.value.status).toBe("done");
  });

  it("is removed when what it was for has ended or is gone", async () => {
    await using s = await setup();
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
