import { type AllInOne, startAllInOne } from "@toolbus/all-in-one";
import { type Message, type RunEvent, topics } from "@toolbus/contracts";
import { type ReleaseApi, startReleaseApi } from "@toolbus/example-release-api";
import type { Infrastructure } from "@toolbus/runtime";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectRefusal, TOOLBUS } from "./cli-under-test.ts";
import { call, follow, startRun } from "./http-client.ts";
import { type Ended, runProgram } from "./program.ts";
import { someRelease } from "./releases.ts";
import { scratch, type Scratch } from "./scratch.ts";

const RELEASE = "v1.5.0";
/** Nobody gave this one up. */
const NO_LETTER = `dl_00_${"0".repeat(26)}`;
/** So long that no call is sent again by itself while the tests run. */
const NEVER_MS = "3600000";

let system: Awaited<ReturnType<typeof start>>;
beforeAll(async () => {
  system = await start();
});
afterAll(() => system.stop());

describe("dead letters at the command line", () => {
  it("are none at first, and the list says so", async () => {
    const listed = await system.cli("dead-letters", "list");
    expect([listed.code, listed.stdout, listed.stderr]).toEqual([0, "", "There are no dead letters.\n"]);
    expect(await system.json("dead-letters", "list")).toEqual({ deadLetters: [] });
  });

  it("are listed, shown and replayed; what dies again refers to what it was", async () => {
    const letterId = await system.given("run.wake", '{"runId": "nonsense"}', { source: "/\u001b[31mstranger" });
    const listed = await system.cli("dead-letters", "list");
    expect(listed.stdout).toMatch(/^LETTER +QUEUE +STATE +AGE +REASON\n/);
    expect(listed.stdout).toMatch(new RegExp(`^${letterId}  run\\.wake  open +\\d+ s  the body breaks its schema: /runId`, "m"));
    expect(listed.stdout).not.toContain("\u001b");

    const shown = await system.cli("dead-letters", "show", letterId);
    expect(shown.stdout).toMatch(/^reason {8}the body breaks its schema/m);
    expect(shown.stdout).toMatch(/nonsense/);
    expect(shown.stdout).not.toContain("\u001b");
    expect(shown.stdout).toMatch(new RegExp(`dead-letters replay ${letterId}\n$`));

    const again = system.next("keep");
    const noted = system.next("replayed");
    const replayed = await system.cli("dead-letters", "replay", letterId);
    expect(replayed).toMatchObject({
      code: 0,
      stderr: "",
      stdout: expect.stringMatching(/is being replayed, its message goes to its queue again/),
    });
    const backId = await again;
    expect(await noted).toBe(letterId);
    expect(await system.json("dead-letters", "show", backId)).toMatchObject({
      former: letterId,
      state: "open",
      messageId: expect.stringMatching(/#replay1$/),
      message: { attributes: { "toolbus-replay-of": letterId } },
    });
    expect(await system.json("dead-letters", "show", letterId)).toMatchObject({
      state: "replayed",
      replay: { by: "operator:local", messageId: expect.stringMatching(/#replay1$/) },
    });
    const twice = await system.cli("dead-letters", "replay", letterId);
    expect([twice.code, twice.stdout]).toEqual([0, `${letterId} was replayed before, by operator:local: it is not replayed again.\n`]);

    const open = await system.json("dead-letters", "list", "--state", "open", "--queue", "run.wake");
    expect(open["deadLetters"]).toMatchObject([{ id: backId }]);
    expect((await system.cli("dead-letters", "list", "--queue", "approval.cancel")).stderr).toBe("There are no dead letters like that.\n");
    const paged = await system.cli("dead-letters", "list", "--limit", "1");
    expect(paged.stderr).toMatch(/^There may be more: \S*toolbus dead-letters list --limit 1 --cursor \S+\n$/);
  });

  it("are kept and shown when they are no letters at all", async () => {
    const next = system.next("keep");
    await system.bus().publish({ ...system.message("run.wake", "{"), topic: topics.dead("run.wake"), type: "toolbus.dead_letter" });
    const letterId = await next;
    expect((await system.cli("dead-letters", "show", letterId)).stdout).toMatch(/It cannot be replayed: The dead letter breaks its schema/);
    expectRefusal(await system.cli("dead-letters", "replay", letterId), 1, /The dead letter breaks its schema/);
  });

  it("of an invoke have the agent send its call again at once", async () => {
    const next = system.next("keep");
    system.loseNextInvoke();
    const runId = await startRun(system, RELEASE);
    const letterId = await next;
    expect(await system.json("dead-letters", "show", letterId)).toMatchObject({
      queue: "tool.invoke.release",
      callId: `${runId}.0.0`,
      replayBy: "call",
    });
    const answered = follow(system, runId, (event: RunEvent) => event.type === "call.resolved");
    const replayed = await system.cli("dead-letters", "replay", letterId);
    expect(replayed.stdout).toMatch(/the agent looks at its call/);
    expect((await answered).at(-1)).toMatchObject({ type: "call.resolved", callId: `${runId}.0.0`, status: "ok" });
    expect(system.invokes(runId)).toEqual([`${runId}.0.0#1`, `${runId}.0.0#2`]);
  });

  it("of a call that has its result are not replayed, and it is said why", async () => {
    const runId = await startRun(system, RELEASE);
    await follow(system, runId, (event) => event.type === "call.resolved");
    const [invoke] = system.sent(runId);
    if (!invoke) throw new Error("The run sent no invoke.");
    const letterId = await system.given("tool.invoke.release", "{", { ...invoke, body: "{" });
    expectRefusal(await system.cli("dead-letters", "replay", letterId), 1, /has its result already \(ok\): a replay would do nothing/);
  });

  it("are for operators: a user may neither see nor replay them", async () => {
    const letterId = await system.given("run.wake", "[]");
    for (const line of [["list"], ["show", letterId], ["replay", letterId]]) {
      const refused = await system.cliAs({ TOOLBUS_KEY: system.user }, "dead-letters", ...line);
      expectRefusal(refused, 4, /operator/);
    }
    expect((await call(`${system.gateway}/v1/dead-letters`, system.user)).status).toBe(403);
    expect((await call(`${system.gateway}/v1/dead-letters/${letterId}/replay`, system.user, {})).status).toBe(403);
    expect(await system.json("dead-letters", "show", letterId)).toMatchObject({ state: "open" });
  });

  it("that there are not, or that need a Toolbus that runs, are a sentence", async () => {
    expectRefusal(await system.cli("dead-letters", "show", NO_LETTER), 5, /^There is no dead letter "dl_00_0+" for this key/);
    expectRefusal(await system.cli("dead-letters", "replay", NO_LETTER), 5, /^There is no dead letter/);
    expectRefusal(await system.cliAs({ TOOLBUS_URL: "http://127.0.0.1:2" }, "dead-letters", "list"), 3, /^Nothing listens at/);
  });

  it("have help whose examples work as they are written", async () => {
    for (const command of ["list", "show", "replay"]) {
      const { stdout } = await system.cli("dead-letters", command, "--help");
      const examples = [...stdout.slice(stdout.indexOf("Examples:")).matchAll(/^ {2}toolbus (.+)$/gm)].map(([, line = ""]) => line);
      expect(examples.length).toBeGreaterThan(1);
      for (const line of examples) {
        const letterId = await system.given("approval.cancel", "{}");
        expect((await system.cli(...line.replace(/dl_\w+/, letterId).split(" "))).code).toBe(0);
      }
    }
  });
});

/** Everything in this process, with a hand on its bus and an eye on what is kept. */
async function start() {
  const files: Scratch = scratch();
  const data = files.data();
  const api: ReleaseApi = await startReleaseApi({
    directory: files.at("release-api"),
    releases: new Map([[RELEASE, someRelease(RELEASE)]]),
    clock: () => 1_700_000_000_000,
    newId: () => "report-1",
  });
  const waiting: { readonly what: string; readonly resolve: (letterId: string) => void }[] = [];
  const sent: Message[] = [];
  let bus: Infrastructure["bus"] | null = null;
  let losing = false;
  let count = 0;
  const system: AllInOne = await startAllInOne({
    directory: data,
    env: {
      GATEWAY_PORT: "0",
      APPROVALS_PORT: "0",
      RELEASE_API_URL: api.url,
      LOG_LEVEL: "silent",
      REDISPATCH_MS: NEVER_MS,
      REDISPATCH_MAX_MS: NEVER_MS,
    },
    wrap: (infrastructure) => {
      bus = infrastructure.bus;
      return { ...infrastructure, bus: losingBus(infrastructure.bus), state: watchedState(infrastructure.state) };
    },
  });
  const env = { TOOLBUS_URL: system.gatewayUrl, TOOLBUS_APPROVALS_URL: system.approvalsUrl, DATA_DIR: data };
  const cliAs = (more: Readonly<Record<string, string>>, ...args: string[]): Promise<Ended> =>
    runProgram(TOOLBUS, args, { env: { ...env, ...more } });
  const cli = (...args: string[]): Promise<Ended> => cliAs({}, ...args);
  const busOf = (): Infrastructure["bus"] => {
    if (!bus) throw new Error("There is no bus.");
    return bus;
  };
  /** The next letter that is kept, or noted as replayed. */
  const next = (what: "keep" | "replayed"): Promise<string> => new Promise((resolve) => waiting.push({ what, resolve }));
  const message = (topic: string, body: string): Message => ({
    id: `stray:${++count}`,
    topic,
    type: "toolbus.run.wake",
    source: "/stranger",
    time: new Date().toISOString(),
    attributes: {},
    body,
  });

  return {
    gateway: system.gatewayUrl,
    user: system.keys.user,
    cli,
    cliAs,
    next,
    message,
    bus: busOf,
    async json(...args: string[]): Promise<Readonly<Record<string, unknown>>> {
      const ended = await cli(...args, "--json");
      expect(ended).toMatchObject({ code: 0 });
      return JSON.parse(ended.stdout);
    },
    /** Publishes what its queue cannot read, and gives the dead letter that it becomes. */
    async given(topic: string, body: string, part: Partial<Message> = {}): Promise<string> {
      const kept = next("keep");
      await busOf().publish({ ...message(topic, body), ...part });
      return kept;
    },
    /** The next invoke never reaches its worker: it becomes a dead letter, as when its worker dies of it again and again. */
    loseNextInvoke: () => void (losing = true),
    sent: (runId: string): readonly Message[] => sent.filter(({ id }) => id.startsWith(runId)),
    invokes: (runId: string): readonly string[] => sent.flatMap(({ id }) => (id.startsWith(runId) ? [id] : [])),
    async stop(): Promise<void> {
      await system.stop();
      await api.stop();
      files.remove();
    },
  };

  function losingBus(whole: Infrastructure["bus"]): Infrastructure["bus"] {
    return {
      ...whole,
      publish(published) {
        if (!published.topic.startsWith("tool.invoke.")) return whole.publish(published);
        sent.push(published);
        if (!losing) return whole.publish(published);
        losing = false;
        // Too old to be read.
        return whole.publish({ ...published, time: "1999-01-01T00:00:00.000Z" });
      },
    };
  }

  function watchedState(whole: Infrastructure["state"]): Infrastructure["state"] {
    return {
      ...whole,
      async commit(shard, change) {
        const reply = await whole.commit(shard, change);
        const [what, letterId] = change.op.split(":");
        const at = waiting.findIndex((one) => one.what === what);
        if (reply.outcome === "ok" && letterId !== undefined && at >= 0) waiting.splice(at, 1)[0]?.resolve(letterId);
        return reply;
      },
    };
  }
}
