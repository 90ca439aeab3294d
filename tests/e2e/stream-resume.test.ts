import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { isRunEnd, type RunEvent } from "@toolbus/contracts";
import { type ReleaseApi, startReleaseApi } from "@toolbus/example-release-api";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Addresses, type Child, startChild } from "./testing/child.ts";
import { approve, look, startRun } from "./testing/http-client.ts";
import { INVESTIGATION_EVENTS as STORY, someRelease } from "./testing/releases.ts";

interface Seen {
  readonly id: string;
  readonly event: RunEvent;
}

describe("a stream that is cut by SIGKILL of the whole process", () => {
  let directory = "";
  let api: ReleaseApi;
  const children = new Set<Child>();

  beforeAll(async () => {
    directory = await mkdtemp(path.join(tmpdir(), "toolbus-resume-"));
    const releases = new Map(STORY.map((_, cut) => [`r${cut}`, someRelease(`r${cut}`)]));
    api = await startReleaseApi({ directory: path.join(directory, "api"), releases, clock: () => Date.now(), newId: randomUUID });
  });
  afterAll(async () => {
    for (const child of children) child.kill("SIGKILL");
    await Promise.all([...children].map(({ exited }) => exited));
    await api.stop();
    await rm(directory, { recursive: true, force: true });
  });

  it("continues after each of its events with Last-Event-ID when the process is back: every durable event once, in order, none changed", async () => {
    let first = await system();
    for (const [cut] of STORY.entries()) {
      const runId = await startRun(first.at, `r${cut}`);
      const before = await watch(first.at, runId, "", cut + 1);
      first.child.kill("SIGKILL");
      await first.child.exited;

      const second = await system();
      const last = before.at(-1);
      // If a client loses the stream at the question, the client decides after it reconnects.
      if (last?.event.type === "call.held") await approve(second.at, last.event.approvalId);
      const after = await watch(second.at, runId, last?.id ?? "", STORY.length);
      const whole = await watch(second.at, runId, "", STORY.length);
      first = second;
      expect([...before, ...after], `cut after event ${cut + 1}`).toEqual(whole);
      expect(whole.map(({ id }) => id)).toEqual(whole.map((_, i) => `${runId}:${i + 1}`));
      expect(whole.map(({ event }) => event.type)).toEqual(STORY);
    }
    expect(
      api
        .reports()
        .map((report) => report.release_id)
        .toSorted(),
    ).toEqual(STORY.map((_, cut) => `r${cut}`).toSorted());
  });

  async function system(): Promise<{ readonly child: Child; readonly at: Addresses }> {
    const child = startChild("kill-child.ts", {
      DATA_DIR: path.join(directory, "data"),
      RELEASE_API_URL: api.url,
      GATEWAY_PORT: "0",
      APPROVALS_PORT: "0",
      POLL_MS: "20",
    });
    children.add(child);
    const at = await child.ready;
    if (!at) throw new Error(`The system did not start: ${child.stderr()}`);
    return { child, at };
  }
});

const DEADLINE_MS = 60_000;

/** Approves the write unless it is already approved, because a stream may be read twice. */
async function approveOnce(at: Addresses, approvalId: string): Promise<void> {
  if ((await look(at, approvalId)).status === "pending") await approve(at, approvalId);
}

/** Reads a stream from this id until the run's end, or until it has this many events. Approves held writes. */
async function watch(at: Addresses, runId: string, lastId: string, most: number): Promise<readonly Seen[]> {
  const left = new AbortController();
  const headers = {
    authorization: `Bearer ${at.user}`,
    accept: "text/event-stream",
    ...(lastId === "" ? {} : { "last-event-id": lastId }),
  };
  const signal = AbortSignal.any([left.signal, AbortSignal.timeout(DEADLINE_MS)]);
  const response = await fetch(`${at.gateway}/v1/runs/${runId}/events`, { headers, signal });
  const seen: Seen[] = [];
  if (response.status === 204) return seen;
  if (!response.ok || !response.body) throw new Error(`The stream answered ${response.status}: ${await response.text()}`);
  let text = "";
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    const blocks = (text + chunk).split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks) {
      const id = /^id: (.+)$/m.exec(block)?.[1];
      if (id === undefined) continue;
      const event: RunEvent = JSON.parse(/^data: (.+)$/m.exec(block)?.[1] ?? "null");
      seen.push({ id, event });
      if (isRunEnd(event) || seen.length === most) {
        left.abort();
        return seen;
      }
      if (event.type === "call.held") await approveOnce(at, event.approvalId);
    }
  }
  throw new Error(`The stream of ${runId} broke off after ${seen.length} events.`);
}
