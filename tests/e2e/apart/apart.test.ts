import { fileURLToPath } from "node:url";
import { isRunEnd } from "@toolbus/contracts";
import { APART } from "@toolbus/all-in-one";
import { type PrivateServer, startServersWithLogins, type ServersWithLogins } from "@toolbus/testing/servers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { patientClient, type Received } from "./client.ts";
import { type Gate, startGate } from "./gate.ts";
import { LEAST_RUNS, load, RUNS_A_SECOND } from "./load.ts";
import { type ApartSystem, startApartSystem } from "./system.ts";

const RELEASES = ["calm", "worker", "agent", "broker", "store"] as const;
const CRASHING_WORKER = fileURLToPath(new URL("crashing-worker.ts", import.meta.url));
const GATED_AGENT = fileURLToPath(new URL("gated-agent.ts", import.meta.url));

describe.each(["rabbitmq", "nats"] as const)("two of every service, each with its own login, on %s and Redis", (kind) => {
  // The short test run covers the slowest tests on only one broker. The long test run covers both brokers.
  const onlyOnce = kind === "nats" && [undefined, "ci"].includes(process.env["LONG_PROOFS"]);
  let servers: ServersWithLogins;
  let broker: PrivateServer;
  let redis: PrivateServer;
  let gate: Gate;
  let system: ApartSystem;
  beforeAll(async () => {
    [servers, gate] = await Promise.all([startServersWithLogins(kind), startGate()]);
    ({ broker, redis } = servers);
    system = await startApartSystem({
      addresses: servers.addressesOf,
      releases: RELEASES,
      env: { MODEL_GATE_URL: gate.url },
      modules: { agent: GATED_AGENT, "tool-executor": CRASHING_WORKER },
    });
  });
  afterAll(async () => {
    await system?.stop();
    await gate?.stop();
    await servers?.remove();
  });

  it("investigate a release to its filed report, and lack no right", async () => {
    await investigated("calm");
    expect(system.output()).not.toMatch(/refuse|permit|ACCESS_REFUSED|no right|NOPERM/i);
  });

  it("continue when a worker is killed in the middle of a read", async () => {
    const open = system.api.hold();
    const asked = system.api.asked();
    await investigated("worker", async () => {
      await asked;
      // The test cannot know which of the two workers has the call, so it kills both.
      for (const { process } of system.replicas("tool-executor")) await process.kill();
      open();
      for (const { number } of system.replicas("tool-executor")) await system.apart.restart("tool-executor", number);
    });
  });

  it("continue when an agent is killed in the middle of a model call", async () => {
    const asking = gate.hold();
    await investigated("agent", async () => {
      const pid = Number(await asking);
      const killed = system.replicas("agent").find(({ process }) => process.pid === pid);
      await killed?.process.kill();
      gate.open();
      await system.apart.restart("agent", killed?.number ?? 0);
    });
  });

  it("continue when the broker is restarted in the middle of a run", async () => {
    const open = system.api.hold();
    const asked = system.api.asked();
    await investigated("broker", async () => {
      await asked;
      await broker.kill();
      open();
      await broker.start();
    });
  });

  it("continue when Redis is restarted in the middle of a run", async () => {
    const open = system.api.hold();
    const asked = system.api.asked();
    await investigated("store", async () => {
      await asked;
      await redis.kill();
      open();
      await redis.start();
    });
  });

  it.skipIf(onlyOnce)(
    "end a call that kills its workers, report that in its run, and keep its arguments in a dead letter that says what a replay could do",
    async () => {
      const client = patientClient(system.apart);
      const resolved = new AbortController();
      const crashes = Promise.all([1, 2].map((number) => startedAgain(number, resolved.signal)));
      const { runId } = await client.say('take_down {"service": "pay"}');
      const received = await client.toTheEnd(runId);
      resolved.abort();
      const codes = (await crashes).flat();
      expect(codes).toEqual([7, 7, 7]);
      const outcome = received.map(({ event }) => event).find((event) => event.type === "call.resolved");
      expect(outcome).toMatchObject({
        tool: "take_down",
        status: "error",
        content: expect.stringContaining("went down") as string,
      });
      const { id, ...letter } = await letterOf(runId);
      expect(letter.reason).toBe('the workers that ran "take_down" with these arguments went down');
      const shown = await asOperator<{ message: { body: string }; whyNot?: string }>(`/v1/dead-letters/${id}`);
      expect(JSON.parse(shown.message.body)).toMatchObject({ toolName: "take_down", arguments: '{"service":"pay"}' });
      expect(shown.whyNot).toMatch(/already has its result/);
    },
  );

  /** Restarts a worker whenever it exits, until the signal aborts. Returns the exit codes of all its processes. */
  async function startedAgain(number: number, signal: AbortSignal): Promise<readonly (number | NodeJS.Signals)[]> {
    const codes: (number | NodeJS.Signals)[] = [];
    const over = new Promise<null>((resolve) => signal.addEventListener("abort", () => resolve(null), { once: true }));
    for (;;) {
      const running = system.replicas("tool-executor").find((replica) => replica.number === number);
      const code = await Promise.race([running?.process.ended, over]);
      if (code === null || code === undefined) return codes;
      codes.push(code);
      await system.apart.restart("tool-executor", number);
    }
  }

  /** Waits until the dead letter of a run is stored, and returns it. */
  async function letterOf(runId: string): Promise<{ readonly id: string; readonly reason: string }> {
    const found = async () => {
      const { deadLetters } = await asOperator<{ deadLetters: { id: string; reason: string; runId?: string }[] }>("/v1/dead-letters");
      return deadLetters.find((letter) => letter.runId === runId);
    };
    await expect.poll(found, { timeout: 20_000 }).toBeDefined();
    return (await found()) ?? { id: "", reason: "" };
  }

  async function asOperator<T>(path: string): Promise<T> {
    const { gatewayUrls, keys } = system.apart;
    const response = await fetch(`${gatewayUrls[0]}${path}`, { headers: { authorization: `Bearer ${keys.operator}` } });
    expect(response.status).toBe(200);
    return (await response.json()) as T;
  }

  it.skipIf(onlyOnce)(
    `fail no run of ${RUNS_A_SECOND} that begin in each second while one process after the other is restarted, and stop cleanly`,
    async () => {
      const restarted = new AbortController();
      const begun = performance.now();
      const underLoad = load(patientClient(system.apart), restarted.signal);
      const codes: (number | NodeJS.Signals)[] = [];
      for (const service of APART) {
        for (const number of [1, 2]) {
          const before = system.replicas(service).find((replica) => replica.number === number)?.process;
          await system.apart.restart(service, number);
          codes.push((await before?.ended) ?? "SIGKILL");
        }
      }
      restarted.abort();
      const seconds = (performance.now() - begun) / 1000;
      const { ends, perSecond } = await underLoad;
      expect(codes).toEqual(codes.map(() => 0));
      expect(ends.length).toBeGreaterThanOrEqual(LEAST_RUNS);
      // On an overloaded machine a read may time out. Then the run reports the timeout and completes.
      const good = perSecond > RUNS_A_SECOND * 0.9 ? /^run\.completed ok$/ : /^run\.completed (?:ok|timeout)$/;
      expect({ failed: ends.filter((end) => !good.test(end)), said: system.output().slice(-4000) }).toMatchObject({ failed: [] });
      console.log(
        `${kind}: ${ends.length} runs, ${perSecond.toFixed(1)} a second, ${codes.length} processes restarted in ${seconds.toFixed(1)} s, no run failed`,
      );
    },
  );

  /** Investigates a release while something happens to the system, and checks the outcome. */
  async function investigated(release: string, meanwhile: () => Promise<void> = async () => undefined): Promise<void> {
    const client = patientClient(system.apart);
    const { runId } = await client.investigate(release);
    const [received] = await Promise.all([client.toTheEnd(runId), meanwhile()]);
    const end = received.at(-1)?.event;
    // No event is missing, and no event arrived twice.
    expect(received.map(({ id }) => id)).toEqual(received.map((_, n) => `${runId}:${n + 1}`));
    expect({ ends: endsOf(received), said: system.output().slice(-4000) }).toMatchObject({ ends: ["run.completed"] });
    const filed = system.api.reports().filter((report) => report.release_id === release);
    expect(filed).toHaveLength(1);
    expect(end?.type === "run.completed" ? end.report?.filing : null).toMatchObject({ status: "filed", reportId: filed[0]?.report_id });
    // A client that connects later sees the same events.
    expect(await client.toTheEnd(runId)).toEqual(received);
  }
});

const endsOf = (received: readonly Received[]): readonly string[] =>
  received.filter(({ event }) => isRunEnd(event)).map(({ event }) => event.type);
