import { memoryBus } from "@toolbus/bus";
import { keys, type Message, message, messageTypes, SEEN_EVERY_MS, topics } from "@toolbus/contracts";
import { generateSigningKey, type KeySet, publicKeySet, signDocument, staticKeySet } from "@toolbus/grants";
import { memoryStore, type StateStore } from "@toolbus/state";
import { silentLog } from "@toolbus/telemetry";
import { afterEach, describe, expect, it, vi } from "vitest";
import { defineTool } from "../tool/define-tool.ts";
import { readRegistry } from "./read-registry.ts";
import { unregister } from "./registry.ts";
import { approvalsKeys, approvalsSigner, receiptSigner } from "../testing/bench.ts";
import { orders, target } from "../testing/target.ts";
import { keepPresent } from "./toolset-presence.ts";
import { toolset, type ToolsetOptions } from "../tool/toolset.ts";

const opened: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const part of opened.splice(0).toReversed()) await part.stop();
});

function setup(unavailable?: ToolsetOptions["unavailable"]) {
  const clock = { now: 1000 };
  const bus = memoryBus();
  opened.push({ stop: () => bus.close() });
  const store = memoryStore({ clock: () => clock.now });
  const commits: string[] = [];
  const waiting: (() => void)[] = [];
  const state: StateStore = {
    ...store,
    async commit(shard, change) {
      const reply = await store.commit(shard, change);
      // A change that no store accepts is only a read, so it is not listed.
      if (reply.outcome !== "ok") return reply;
      const [what = ""] = change.op.split(":");
      // The worker reports the living replicas before each report about the tools.
      if (what === "here") return reply;
      commits.push(what);
      for (const wake of waiting.splice(0)) wake();
      return reply;
    },
  };
  const lines: string[] = [];
  const errors: string[] = [];
  const log = {
    ...silentLog,
    error: (_: object, text: string) => void errors.push(text),
    warn: (_: object, text: string) => void lines.push(text),
    info: (_: object, text: string) => void lines.push(text),
  };
  const look = defineTool({
    name: "look_up",
    kind: "read",
    description: "Looks up.",
    parameters: { type: "object", properties: {}, additionalProperties: false },
    run: () => 1,
  });
  const tools = toolset({ name: "orders", tools: [look], ...(unavailable ? { unavailable } : {}) });
  const options = {
    toolset: tools,
    state,
    keys: approvalsKeys,
    log,
    clock: () => clock.now,
    monotonic: () => 0,
    random: () => new Uint8Array(8),
  };
  return {
    clock,
    bus,
    state,
    options,
    lines,
    errors,
    commits,
    registrations: () => readRegistry(state),
    async present(seenEveryMs = 3_600_000) {
      const presence = await keepPresent(bus, { ...options, seenEveryMs });
      opened.push(presence);
      return presence;
    },
    /** Resolves at the next commit. */
    committed: () => new Promise<void>((resolve) => waiting.push(resolve)),
    registration: async () => (await readRegistry(state))[0],
  };
}

describe("a worker's presence", () => {
  it("registers, and logs the lint's warnings, with what to write instead", async () => {
    const { present, registration, lines } = setup();
    await present();
    expect(await registration()).toMatchObject({ toolset: "orders", lastSeenAt: 1000 });
    expect(lines).toContain(
      "The description does not say what the tool is not for. Add a sentence that begins with Do not use it for, and names the tool to use instead.",
    );
    expect(new Set(lines).size).toBe(lines.length);
  });

  it("sends heartbeats", async () => {
    const { present, registration, clock, committed } = setup();
    await present(5);
    for (let beat = 1; beat <= 3; beat++) {
      const next = committed();
      clock.now += SEEN_EVERY_MS;
      await next;
      expect((await registration())?.lastSeenAt).toBe(1000 + beat * SEEN_EVERY_MS);
    }
  });

  it("reports whether its tools can be used, by the toolset's own check", async () => {
    let why: string | null | Error = "There is no API key.";
    const { present, registration, clock, committed } = setup(() => {
      if (why instanceof Error) throw why;
      return why;
    });
    await present(5);
    expect((await registration())?.unavailable).toEqual({ since: 1000, reason: "There is no API key." });
    for (const [answer, reason] of [
      [null, undefined],
      // One check may fail because the target is busy.
      [new Error("No route to host."), undefined],
      [new Error("No route to host."), "Its availability check failed: No route to host."],
    ] as const) {
      const next = committed();
      clock.now += SEEN_EVERY_MS;
      why = answer;
      await next;
      expect((await registration())?.unavailable?.reason).toBe(reason);
    }
  });

  it("checks again soon while its tools cannot be used, and says in the log, once, that they cannot and that they can", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      let why: string | null = "The API cannot be reached.";
      let checks = 0;
      const { present, registration, committed, lines } = setup(() => (checks++, why));
      await present();
      expect((await registration())?.unavailable?.reason).toBe(why);
      await vi.advanceTimersByTimeAsync(5000);
      expect(checks).toBe(2);
      why = null;
      const next = committed();
      await vi.advanceTimersByTimeAsync(5000);
      await next;
      expect((await registration())?.unavailable).toBeUndefined();
      await vi.advanceTimersByTimeAsync(60_000);
      expect(checks).toBe(3);
      expect(lines.filter((line) => line.startsWith("the tools"))).toEqual([
        "the tools cannot be used now: The API cannot be reached.",
        "the tools can be used again",
      ]);
    } finally {
      vi.useRealTimers();
    }
  });

  it("reports only its writes as unusable while it cannot check what approvals signs", async () => {
    const { bus, state, options, errors, registrations } = setup();
    const others = staticKeySet(publicKeySet([await generateSigningKey()]));
    const key = keys.keyProbe();
    const probe = await signDocument("tb-probe+jwt", { key, revision: 1, content: { madeAt: 1 } }, approvalsSigner);
    await state.commit("00", { op: "probe", guards: [{ key, version: 0 }], put: [{ key, value: probe }] });
    opened.push(
      await keepPresent(bus, { ...options, toolset: orders(target()), signer: receiptSigner, keys: others, seenEveryMs: 3_600_000 }),
    );
    const said = (await registrations()).map(({ definition, unavailable }) => [definition.kind, unavailable?.reason]);
    expect(new Map(said as [string, string | undefined][])).toEqual(
      new Map([
        ["write", expect.stringContaining("its worker cannot check grants") as string],
        ["read", undefined],
      ]),
    );
    expect(errors).toEqual([expect.stringMatching(/^no write runs here: its worker cannot check grants/)]);
  });

  it("looks again within seconds, because a worker that started before approvals gets its keys then", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const { bus, state, options, registrations, committed } = setup();
      const key = keys.keyProbe();
      const probe = await signDocument("tb-probe+jwt", { key, revision: 1, content: { madeAt: 1 } }, approvalsSigner);
      await state.commit("00", { op: "probe", guards: [{ key, version: 0 }], put: [{ key, value: probe }] });
      let known: KeySet = staticKeySet({ keys: [] });
      const late: KeySet = { find: (kid) => known.find(kid) };
      opened.push(
        await keepPresent(bus, { ...options, toolset: orders(target()), signer: receiptSigner, keys: late, seenEveryMs: 3_600_000 }),
      );
      const reasons = async () => (await registrations()).map(({ unavailable }) => unavailable?.reason ?? null);
      expect(await reasons()).toContainEqual(expect.stringMatching(/If approvals has just started, wait a few seconds/));
      known = approvalsKeys;
      const next = committed();
      await vi.advanceTimersByTimeAsync(5000);
      await next;
      expect(await reasons()).toEqual([null, null]);
    } finally {
      vi.useRealTimers();
    }
  });

  it("continues after a store that did not answer", async () => {
    const { present, registration, clock, committed, state, lines } = setup();
    await present(5);
    const { read } = state;
    const { promise: failed, resolve } = Promise.withResolvers<void>();
    Object.assign(state, {
      read: async () => {
        resolve();
        throw new Error("away");
      },
    });
    await failed;
    Object.assign(state, { read });
    const next = committed();
    clock.now += SEEN_EVERY_MS;
    await next;
    expect((await registration())?.lastSeenAt).toBe(1000 + SEEN_EVERY_MS);
    expect(lines).toContain("a worker could not send its heartbeat; it tries again");
  });

  it("registers missing tools again when it is asked to, and not when another toolset is", async () => {
    let checks = 0;
    const { present, registration, state, bus, commits } = setup(() => (checks++, null));
    await present();
    await unregister(state, "orders", "look_up", "1");
    const announced: Message[] = [];
    const { promise: registered, resolve } = Promise.withResolvers<void>();
    await bus.listen(topics.toolAnnounce, (message) => (announced.push(message), resolve()));
    let heard = 0;
    const { promise: all, resolve: last } = Promise.withResolvers<void>();
    await bus.listen(topics.toolRefresh, () => ++heard === 3 && last());
    for (const [n, body] of [{ toolset: "billing" }, { no: "such field" }, {}].entries()) await bus.announce(refresh(n, body));
    await Promise.all([registered, all]);
    // The worker checked once when it started, and once for the only valid request that concerns it.
    expect(checks).toBe(2);
    expect(await registration()).toMatchObject({ toolset: "orders" });
    expect(announced.map(({ body }) => JSON.parse(body))).toEqual([{ toolset: "orders", tools: ["look_up"] }]);
    expect(commits).toEqual(["register", "unregister", "register"]);
  });

  it("ends with its worker", async () => {
    const { present, clock, commits } = setup();
    const presence = await present(5);
    await Promise.all([presence.stop(), presence.stop()]);
    // A second worker sends its heartbeat after those that the first worker would have sent.
    const other = setup();
    await other.present(10);
    for (const { clock: each } of [{ clock }, other]) each.now += SEEN_EVERY_MS;
    await other.committed();
    expect(commits).toEqual(["register", "gone"]);
  });
});

function refresh(n: number, body: object): Message {
  return message({
    id: `refresh:agent#${n}`,
    topic: topics.toolRefresh,
    type: messageTypes.toolRefresh,
    source: "/agents/a",
    now: 1000,
    body,
  });
}
