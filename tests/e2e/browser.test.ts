import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Heard, watchingPage } from "./testing/browser-page.ts";
import { launchChromium, NO_CHROMIUM } from "./testing/chromium.ts";
import { type Addresses, type Child, startChild } from "./testing/child.ts";
import { type GatedReleaseApi, gatedReleaseApi } from "./testing/gated-release-api.ts";
import { approve, follow, startRun } from "./testing/http-client.ts";

const RELEASE = "v2";

describe("the EventSource of a real browser", () => {
  let browser: Browser;
  let directory = "";
  let api: GatedReleaseApi;
  const children = new Set<Child>();

  beforeAll(async () => {
    const launched = await launchChromium();
    if (launched) browser = launched;
  });
  afterAll(() => browser?.close());
  beforeEach(async (test) => {
    if (NO_CHROMIUM !== null) test.skip(NO_CHROMIUM);
    directory = await mkdtemp(path.join(tmpdir(), "toolbus-browser-"));
    api = await gatedReleaseApi(directory, [RELEASE]);
  });
  afterEach(async () => {
    for (const child of children) child.kill("SIGKILL");
    await Promise.all([...children].map(({ exited }) => exited));
    children.clear();
    await api?.stop();
    await rm(directory, { recursive: true, force: true });
  });

  it.for(["SIGKILL", "SIGTERM"] as const)(
    "gets every event once, by name and with its id, though the server ends by %s and starts again, and is told to stop at the end",
    async (signal) => {
      const go = api.hold();
      const first = await system();
      const runId = await startRun(first.at, RELEASE);
      await using page = await pageAt(first.at.gateway);
      expect(await page.askForTicket(runId, first.at.user)).toBe(201);
      await page.watch(`/v1/runs/${runId}/events`);
      await page.becomes("open");
      go();
      const before = await page.hears("call.held");

      first.child.kill(signal);
      await page.becomes("connecting");
      await first.child.exited;
      const second = await system(portOf(first.at.gateway));
      await page.becomes("open");
      await approve(second.at, approvalIn(before));
      await page.hears("run.completed");
      // The server and not the page ends the stream. It uses the only way after which an EventSource does not reconnect.
      await page.becomes("closed");

      // What the model writes before a step is stored is not shown. The step after a write is stored before the model is asked.
      expect((await page.heard()).map(({ name }) => name)).toContain("delta");
      const durable = (await page.heard()).filter(({ name }) => !["delta", "reset", "progress", "bye"].includes(name));
      const all = await follow(second.at, runId);
      expect(durable.map(({ name }) => name)).toEqual(all.map(({ type }) => type));
      expect(durable.map(({ id }) => id)).toEqual(all.map((_, i) => `${runId}:${i + 1}`));
      expect(durable.map(({ data }) => JSON.parse(data))).toEqual(all);
      if (signal === "SIGTERM") expect((await page.heard()).map(({ name }) => name)).toContain("bye");
    },
  );

  it("opened again continues where the page says that it is", async () => {
    const { at } = await system();
    const runId = await startRun(at, RELEASE);
    await using page = await pageAt(at.gateway);
    await page.askForTicket(runId, at.user);
    await page.watch(`/v1/runs/${runId}/events?lastEventId=${encodeURIComponent(`${runId}:1`)}`);
    const heard = await page.hears("call.held");
    expect(heard.find(({ id }) => id !== "")?.id).toBe(`${runId}:2`);
  });

  it("is let in neither without a ticket nor with one for another run", async () => {
    const { at } = await system();
    const [runId, other] = [await startRun(at, RELEASE), await startRun(at, RELEASE)];
    await using page = await pageAt(at.gateway);
    expect(await page.askForTicket(other, at.user)).toBe(201);
    await page.watch(`/v1/runs/${runId}/events`);
    await page.becomes("closed");
    expect(await page.heard()).toEqual([]);
  });

  it("of a page of another origin gets nothing, whatever tickets the browser has", async () => {
    const { at } = await system();
    const runId = await startRun(at, RELEASE);
    const context = await browser.newContext();
    try {
      const own = await watchingPage(await context.newPage(), at.gateway);
      expect(await own.askForTicket(runId, at.user)).toBe(201);
      // A page on another port of the same host is on the same site, so the browser sends the cookie.
      const foreign = await watchingPage(await context.newPage(), "http://127.0.0.1:9");
      await foreign.watch(`${at.gateway}/v1/runs/${runId}/events`, { withCredentials: true });
      await foreign.becomes("closed");
      expect(await foreign.heard()).toEqual([]);
    } finally {
      await context.close();
    }
  });

  async function system(port = "0"): Promise<{ readonly child: Child; readonly at: Addresses }> {
    const child = startChild("kill-child.ts", {
      DATA_DIR: path.join(directory, "data"),
      RELEASE_API_URL: api.url,
      GATEWAY_PORT: port,
      APPROVALS_PORT: "0",
      LOG_LEVEL: "error",
    });
    children.add(child);
    const at = await child.ready;
    if (!at) throw new Error(`The system did not start: ${child.stderr()}`);
    return { child, at };
  }

  async function pageAt(origin: string) {
    const context = await browser.newContext();
    return { ...(await watchingPage(await context.newPage(), origin)), [Symbol.asyncDispose]: () => context.close() };
  }
});

function portOf(url: string): string {
  return new URL(url).port;
}

function approvalIn(heard: readonly Heard[]): string {
  const data = heard.find(({ name }) => name === "call.held")?.data ?? "{}";
  return (JSON.parse(data) as { readonly approvalId: string }).approvalId;
}
