import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { isRunEnd, type RunEvent } from "@toolbus/contracts";
import { type ReleaseApi, startReleaseApi } from "@toolbus/example-release-api";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Addresses, type Child, startChild } from "./testing/child.ts";
import { KILL_POINTS, type KillPlan, plansFor, seeded } from "./testing/kill-points.ts";
import { someRelease } from "./testing/releases.ts";

const SEED = Number(process.env["KILL_SEED"] ?? 20_261_121);
const RUNS = Number(process.env["KILL_RUNS"] ?? 4);

describe("the all-in-one, killed with SIGKILL in the middle of its work", () => {
  let directory = "";
  let api: ReleaseApi;
  /** If this is set, the release API calls it while it files a report. It kills the API's caller at that moment. */
  let atEffect: ((when: "before" | "after") => void) | null = null;

  beforeAll(async () => {
    directory = await mkdtemp(path.join(tmpdir(), "toolbus-kill-"));
    const releases = new Map(Array.from({ length: RUNS }, (_, run) => [`r${run}`, someRelease(`r${run}`)]));
    api = await startReleaseApi({
      directory: path.join(directory, "api"),
      releases,
      clock: () => Date.now(),
      newId: randomUUID,
      beforeEffect: async () => atEffect?.("before"),
      afterEffect: async () => atEffect?.("after"),
    });
  });
  // The process of the current test, so that a failed test leaves no process behind.
  let latest: Child | null = null;
  afterAll(async () => {
    latest?.kill("SIGKILL");
    await latest?.exited;
    await api.stop();
    await rm(directory, { recursive: true, force: true });
  });

  it("ends every run with exactly one filed report and a complete stream", async () => {
    const random = seeded(SEED);
    const hits = new Map<string, number>();
    for (const [run, plans] of plansFor(RUNS, random).entries()) await runWithKills(run, plans, hits);

    const table = Object.keys(KILL_POINTS).map((name) => `${name} ${hits.get(`${name} before`) ?? 0}+${hits.get(`${name} after`) ?? 0}`);
    const total = [...hits.values()].reduce((sum, n) => sum + n, 0);
    console.log(`kills with seed ${SEED} (before+after): ${table.join(", ")}; ${total} in all`);
    expect(total).toBeGreaterThanOrEqual(RUNS * 5);
    for (const name of Object.keys(KILL_POINTS)) {
      for (const when of ["before", "after"]) expect(hits.get(`${name} ${when}`) ?? 0, `no kill ${when} "${name}"`).toBeGreaterThan(0);
    }
  });

  async function runWithKills(run: number, plans: readonly KillPlan[], hits: Map<string, number>): Promise<void> {
    const release = `r${run}`;
    const left = [...plans];
    const started = await system(left.shift() ?? null, hits);
    const client = new Client(started);
    let current = started;
    const idempotencyKey = randomUUID();
    let runId = "";
    const seen: { id: string; event: RunEvent }[] = [];
    const deadline = Date.now() + 90_000;

    // The test repeats every step until it works, as a client of a crashing system does.
    for (;;) {
      if (Date.now() > deadline)
        throw new Error(`run ${run} did not end; last events ${JSON.stringify(seen.slice(-3))}; ${current.child.stderr()}`);
      if (current.dead()) {
        current = await system(left.shift() ?? null, hits);
        client.use(current);
      }
      try {
        runId ||= (
          await client.post<{ runId: string }>(
            "gateway",
            "/v1/investigations",
            { releaseId: release },
            { "idempotency-key": idempotencyKey },
          )
        ).runId;
        await client.approveOpen(seen);
        await client.stream(runId, seen, (event) =>
          event.type === "call.held" ? void client.approve(event.approvalId).catch(() => undefined) : undefined,
        );
        if (seen.some(({ event }) => isRunEnd(event))) break;
      } catch {
        await current.settled();
      }
    }

    const replay: { id: string; event: RunEvent }[] = [];
    await client.stream(runId, replay, () => undefined);
    current.child.kill("SIGKILL");
    await current.child.exited;

    expect(replay.map(({ id }) => id)).toEqual(replay.map((_, index) => `${runId}:${index + 1}`));
    expect(seen, "what a client that came back with its last id saw").toEqual(replay);
    expect(replay.filter(({ event }) => isRunEnd(event)).map(({ event }) => event.type)).toEqual(["run.completed"]);
    expect(isRunEnd(replay.at(-1)?.event ?? { type: "" })).toBe(true);
    const end = replay.at(-1)?.event;
    const filed = api.reports().filter((report) => report.release_id === release);
    expect(filed).toHaveLength(1);
    expect(end?.type === "run.completed" ? end.report?.filing : null).toMatchObject({ status: "filed", reportId: filed[0]?.report_id });
  }

  interface System {
    readonly child: Child;
    readonly addresses: Addresses | null;
    dead(): boolean;
    /** Waits for the process to exit if it was already killed. */
    settled(): Promise<void>;
  }

  async function system(plan: KillPlan | null, hits: Map<string, number>): Promise<System> {
    const env = {
      DATA_DIR: path.join(directory, "data"),
      RELEASE_API_URL: api.url,
      GATEWAY_PORT: "0",
      APPROVALS_PORT: "0",
      LOG_LEVEL: "error",
      KILL_PLAN: JSON.stringify(plan?.name === "effect" ? null : plan),
    };
    const child = startChild("kill-child.ts", env);
    latest = child;
    let dead = false;
    let byApi = false;
    atEffect =
      plan?.name !== "effect"
        ? null
        : (when) => {
            if (when !== plan.when || byApi) return;
            byApi = true;
            child.kill("SIGKILL");
            // A kill before the API files the report loses the request. A kill after it loses only the answer.
            if (when === "before") throw new Error("the caller died before the report was stored");
          };
    void child.exited.then(() => {
      dead = true;
      if (plan && (child.hit() !== null || byApi)) hits.set(`${plan.name} ${plan.when}`, (hits.get(`${plan.name} ${plan.when}`) ?? 0) + 1);
      else if (plan) throw new Error(`the child died without being killed at ${plan.name}: ${child.stderr()}`);
    });
    const addresses = await child.ready;
    return {
      child,
      addresses,
      dead: () => dead,
      settled: () => Promise.race([child.exited, new Promise<void>((resolve) => setTimeout(resolve, 100))]),
    };
  }
});

/** A client of both HTTP APIs. At the gateway it is the requester, and at approvals it is the approver. */
class Client {
  #addresses: Addresses | null;

  constructor(system: { readonly addresses: Addresses | null }) {
    this.#addresses = system.addresses;
  }

  use(system: { readonly addresses: Addresses | null }): void {
    this.#addresses = system.addresses;
  }

  async post<T>(service: "gateway" | "approvals", route: string, body: unknown, headers: Record<string, string> = {}): Promise<T> {
    const response = await fetch(this.#url(service, route), {
      method: "POST",
      headers: { ...this.#key(service), "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(10_000),
    });
    if (!response.ok) throw new Error(`${route} answered ${response.status}: ${await response.text()}`);
    return (await response.json()) as T;
  }

  /** Reads the stream from the last known event on, and adds the new events to `seen`. Returns when the stream ends or breaks. */
  async stream(runId: string, seen: { id: string; event: RunEvent }[], onEvent: (event: RunEvent) => void): Promise<void> {
    const last = seen.at(-1)?.id;
    const response = await fetch(this.#url("gateway", `/v1/runs/${runId}/events`), {
      headers: { ...this.#key("gateway"), accept: "text/event-stream", ...(last ? { "last-event-id": last } : {}) },
      signal: AbortSignal.timeout(30_000),
    });
    if (!response.ok) throw new Error(`the stream answered ${response.status}`);
    let text = "";
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk, { stream: true });
      const blocks = text.split("\n\n");
      text = blocks.pop() ?? "";
      for (const block of blocks) {
        const id = /^id: (.+)$/m.exec(block)?.[1];
        const data = /^data: (.+)$/m.exec(block)?.[1];
        if (!id || !data) continue;
        const event = JSON.parse(data) as RunEvent;
        seen.push({ id, event });
        onEvent(event);
      }
    }
  }

  /** Decides the writes that the stream reported as held. Repeats the decision, because the process may have died during it. */
  async approveOpen(seen: readonly { readonly event: RunEvent }[]): Promise<void> {
    for (const { event } of seen) if (event.type === "call.held") await this.approve(event.approvalId);
  }

  async approve(approvalId: string): Promise<void> {
    const route = `/v1/approvals/${encodeURIComponent(approvalId)}`;
    const response = await fetch(this.#url("approvals", route), { headers: this.#key("approvals"), signal: AbortSignal.timeout(10_000) });
    const view = (await response.json()) as { status: string; decisionToken?: string };
    if (view.status !== "pending" || !view.decisionToken) return;
    await this.post("approvals", `${route}/decision`, { decision: "approve", token: view.decisionToken });
  }

  #url(service: "gateway" | "approvals", route: string): string {
    if (!this.#addresses) throw new Error("the system died before it listened");
    return this.#addresses[service] + route;
  }

  #key(service: "gateway" | "approvals"): { authorization: string } {
    return { authorization: `Bearer ${(service === "gateway" ? this.#addresses?.user : this.#addresses?.approver) ?? ""}` };
  }
}
