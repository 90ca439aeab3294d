import { callIdOf, approvalIdOf, HOME_SHARD, shardOf } from "@toolbus/contracts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TOOLBUS } from "../e2e/testing/cli-under-test.ts";
import { type Ended, runProgram } from "../e2e/testing/program.ts";
import type { Held } from "../redteam/arena.ts";
import { ask } from "../redteam/http.ts";
import { TOOLS } from "../redteam/payments.ts";
import { textIn } from "../redteam/text-in.ts";
import { faultsOf, startWatchedSystem, type WatchedSystem } from "./watched-system.ts";

/** The time between a worker's heartbeats and between an agent's checks, in milliseconds. The default is 30 s. */
const SEEN_EVERY_MS = 1000;
const PATIENCE = { timeout: 15_000, interval: 50 } as const;
const ARGUMENTS = { payee: "BAKERY", amount: 7 };

// No settings file enables a write here. The operator enables writes with the commands of the documentation.
describe("a store that somebody emptied, with each service in a separate process", () => {
  let watched: WatchedSystem;
  beforeAll(async () => {
    watched = await startWatchedSystem("nats", { SEEN_EVERY_MS: String(SEEN_EVERY_MS), TOOLS_ENABLED_FILE: "" });
  });
  afterAll(() => watched?.[Symbol.asyncDispose]());

  it("has its tools and profiles again within a heartbeat, and its writes after the operator has followed the instructions", async () => {
    const { arena, system } = watched;
    await enable();
    await read();
    const before = await arena.done("high", ARGUMENTS);
    const waiting = await arena.held("high", ARGUMENTS);
    const watch = watched.watch();
    // The next output continues the last line, which may be incomplete.
    const from = system.lines().length - 1;

    const began = performance.now();
    await arena.eye.redis("FLUSHALL");
    // The running processes register the tools and announce the profiles again, although nobody has restarted them.
    await expect.poll(tools, PATIENCE).toEqual(Object.values(TOOLS).toSorted());
    await expect.poll(agents, PATIENCE).toEqual(["default"]);
    const again = performance.now() - began;
    expect(await ask(arena.gateway("/v1/conversations"), system.people.rita, { profile: "nonsense" })).toMatchObject({
      status: 400,
      body: { detail: 'There is no profile "nonsense".' },
    });
    expect(await unready()).toEqual([]);
    await read();

    // The waiting calls were lost with their run. A new request is refused with a message for the model.
    expect(await approvalOf(waiting)).toMatchObject({ status: 404 });
    const refused = await written();
    expect(refused).toMatchObject({ status: "denied" });
    const doctor = await said(1, "doctor");
    expect(doctor).toMatch(
      /fail writes .*send_payment@1 \(pending\).* wait for an operator: a write that is not enabled is refused\. → "toolbus tools pending" lists them\./,
    );
    expect(doctor).toMatch(
      /fail lost writes The store lost writes of \d+ shards?, noticed .* ago: writes there that cannot be repeated safely do not begin\. → "toolbus era show" names them/,
    );

    // The store has lost writes, so even an enabled write does not begin. Its target cannot tell a repeat from a first attempt.
    await enable();
    // The id of this run comes from an Idempotency-Key, so the id does not prove that the run began after the loss.
    const held = await written(approve);
    expect(held).toMatchObject({
      status: "outcome_unknown",
      content: expect.stringContaining(`toolbus era resume ${HOME_SHARD}`) as string,
    });
    expect(effects()).toEqual([before.callId]);

    // The login of a single service may not write the record that identifies the store.
    await expect(system.apart.restart("agent", 1)).rejects.toThrow(/"toolbus permissions --set-up"/);
    await system.setUpAgain();
    await system.apart.restart("agent", 1);
    expect(await toolbus("era", "show")).toMatch(
      /\b00 .* ago held .*To resume them, once somebody has checked their targets: toolbus era resume/,
    );
    expect(await toolbus("era", "resume", "--all")).not.toMatch(/ held /);
    // doctor still exits with 1, because the operator has not enabled the toolset's other writes.
    expect(await said(1, "doctor")).toMatch(/ok lost writes no shard is held/);
    const done = await written(approve);
    expect(done).toMatchObject({ status: "ok" });
    expect(effects()).toEqual([before.callId, done.callId]);

    const health = await watch.end();
    const lines = system.lines().slice(from);
    console.log(
      `FLUSHALL: tools and profiles were there again after ${Math.round(again)} ms (heartbeats: ${SEEN_EVERY_MS} ms); ` +
        `a write meanwhile: ${refused.status}, ${held.status} ${held.content}, and then ${done.status}; slowest /healthz: ${JSON.stringify(health.slowest)}`,
    );
    // The test itself restarted the agent.
    expect(faultsOf(watched, { ...health, failed: health.failed.filter((one) => !one.startsWith("agent: ")) })).toEqual([]);
    expect(lines).toContainEqual(expect.stringMatching(/^tool-executor: .*the store has lost commits; the toolset is registered again/));
    expect(lines).toContainEqual(expect.stringMatching(/^agent: .*the store has lost commits; the agent announces its profiles again/));
    expect(lines).toContainEqual(
      expect.stringMatching(/^approvals: .*The state store has lost writes of shard 00 that it had acknowledged/),
    );
    expect(lines).toContainEqual(expect.stringMatching(/^approvals: .*the era was raised: the store lost writes of shard/));
  });

  async function read(): Promise<void> {
    const { runId } = await watched.arena.asked("read", ARGUMENTS);
    const events = await watched.arena.ended(runId);
    expect(events.find((event) => event.type === "call.resolved")).toMatchObject({ status: "ok" });
    expect(events.at(-1)).toMatchObject({ type: "run.completed" });
  }

  /** Requests a write in a run of the held shard, and returns the outcome of the write. The write's target ignores idempotency keys. */
  async function written(onHeld: (write: Held) => Promise<void> = async () => undefined) {
    const { arena, system } = watched;
    const said = await spokenAtHome();
    const text = `${TOOLS.high} ${JSON.stringify(ARGUMENTS)}`;
    const { body } = await ask(arena.gateway(`/v1/conversations/${said}/messages`), system.people.rita, { text });
    const runId = textIn(body["runId"]);
    const callId = callIdOf(runId, 1, 0);
    await arena.until("the write to be held or over", async () => {
      const events = await arena.events(runId);
      return events.some(({ type }) => type === "call.held" || type === "call.resolved") ? true : null;
    });
    if ((await arena.events(runId)).some(({ type }) => type === "call.held"))
      await onHeld({ runId, callId, approvalId: approvalIdOf(callId), args: ARGUMENTS, tool: TOOLS.high });
    const resolved = (await arena.ended(runId)).find((event) => event.type === "call.resolved");
    return { callId, status: resolved?.status ?? "no call", content: resolved?.content ?? "" };
  }

  async function approve(write: Held): Promise<void> {
    expect(await watched.arena.decide(write, "approve")).toMatchObject({ status: 200 });
  }

  /** Returns a conversation in the same shard as the registrations. The shard of a conversation is random, so this may need several attempts. */
  async function spokenAtHome(): Promise<string> {
    for (;;) {
      const { status, body } = await ask(watched.arena.gateway("/v1/conversations"), watched.system.people.rita, { profile: "direct" });
      expect(status).toBe(201);
      const conversationId = textIn(body["conversationId"]);
      if (shardOf(conversationId) === HOME_SHARD) return conversationId;
    }
  }

  async function enable(): Promise<void> {
    const { body } = await ask(watched.arena.approvals(`/v1/writes/${TOOLS.high}`), watched.system.people.operator);
    const [shown] = body["registered"] as unknown as readonly { readonly hash: string }[];
    await toolbus("tools", "enable", TOOLS.high, "--hash", shown?.hash ?? "", "--yes");
  }

  /** Runs a command of the operator and returns its output as one line. */
  function toolbus(...args: readonly string[]): Promise<string> {
    return said(0, ...args);
  }

  async function said(code: number, ...args: readonly string[]): Promise<string> {
    const { arena, system } = watched;
    const ended: Ended = await runProgram(TOOLBUS, args, {
      env: {
        TOOLBUS_URL: arena.gateway(""),
        TOOLBUS_APPROVALS_URL: arena.approvals(""),
        TOOLBUS_KEY: system.people.rita,
        TOOLBUS_APPROVER_KEY: system.people.operator,
      },
    });
    expect(ended).toMatchObject({ code });
    return ended.stdout.replaceAll(/\s+/g, " ");
  }

  /** Returns the tools that the gateway reports as available. */
  async function tools(): Promise<readonly string[]> {
    const { body } = await ask(watched.arena.gateway("/v1/tools"), watched.system.people.rita);
    const all = body["tools"] as unknown as readonly { readonly name: string; readonly available: boolean }[];
    return all.filter(({ available }) => available).map(({ name }) => name);
  }

  async function agents(): Promise<readonly unknown[]> {
    return [await watched.arena.eye.redis("ZRANGE", `tb:index.agents:{${HOME_SHARD}}#index`, "0", "-1")].flat();
  }

  function approvalOf({ approvalId }: Held) {
    return ask(watched.arena.approvals(`/v1/approvals/${encodeURIComponent(approvalId)}`), watched.system.people.amy);
  }

  async function unready(): Promise<readonly string[]> {
    const all = Object.entries(watched.addresses("/readyz")).map(async ([name, url]) => ((await fetch(url)).status === 200 ? [] : [name]));
    return (await Promise.all(all)).flat();
  }

  /** Returns the calls whose writes the target received. */
  function effects(): readonly string[] {
    return watched.system.target.journal().map(({ callId }) => callId);
  }
});
