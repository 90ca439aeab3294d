import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { type AllInOne, startAllInOne } from "@toolbus/all-in-one";
import { staticKeySet } from "@toolbus/grants";
import type { Infrastructure } from "@toolbus/runtime";
import { defineTool, startWorker, toolset, type Worker } from "@toolbus/tool-kit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call, follow, heldApproval, look, startRun } from "./testing/http-client.ts";
import { someRelease } from "./testing/releases.ts";

/** A release API whose answers the test controls. */
interface HeldApi {
  readonly url: string;
  /** Waits for the request for this release, and returns a function that answers it. */
  asked(release: string): Promise<{ readonly answer: (body: object) => void }>;
  /** Returns the number of filed reports. */
  filed(): number;
  stop(): Promise<void>;
}

describe("a cancel", () => {
  let directory = "";
  let api: HeldApi;
  let system: AllInOne;
  let worker: Worker;
  const waiting = waitingTool();
  const requester = () => ({ gateway: system.gatewayUrl, user: system.keys.user });
  const cancel = (runId: string) => call(`${system.gatewayUrl}/v1/runs/${runId}/cancel`, system.keys.user, {});

  beforeAll(async () => {
    directory = await mkdtemp(path.join(tmpdir(), "toolbus-cancel-"));
    api = await heldApi();
    let parts: Infrastructure | null = null;
    system = await startAllInOne({
      directory,
      env: { RELEASE_API_URL: api.url, GATEWAY_PORT: "0", APPROVALS_PORT: "0", LOG_LEVEL: "silent" },
      wrap: (built) => (parts = built),
    });
    worker = await startWorker({
      ...built(parts),
      toolset: toolset({ name: "waiting", tools: [waiting.tool] }),
      keys: staticKeySet({ keys: [] }),
    });
  });
  afterAll(async () => {
    await worker?.stop();
    await system?.stop();
    await api?.stop();
    await rm(directory, { recursive: true, force: true });
  });

  it("reaches the tool that runs: its signal aborts, and its call has its one result", async () => {
    const { body } = await call(`${system.gatewayUrl}/v1/conversations`, system.keys.user, { profile: "direct" });
    const { conversationId } = body as { readonly conversationId: string };
    const sent = await call(`${system.gatewayUrl}/v1/conversations/${conversationId}/messages`, system.keys.user, {
      text: "wait_for_it {}",
    });
    const { runId } = sent.body as { readonly runId: string };
    await waiting.running;
    expect((await cancel(runId)).status).toBe(202);
    await waiting.aborted;
    const events = await follow(requester(), runId);
    expect(events.filter((event) => event.type === "call.resolved")).toMatchObject([{ tool: "wait_for_it", status: "cancelled" }]);
    expect(events.at(-1)).toMatchObject({ type: "run.cancelled", by: "user:local" });
  });

  it("drops the write that nobody has decided on, and nobody can decide on it any more", async () => {
    const asked = api.asked("r2");
    const runId = await startRun(requester(), "r2");
    (await asked).answer(someRelease("r2"));
    const approvalId = await heldApproval(requester(), runId);
    expect((await cancel(runId)).status).toBe(202);
    const events = await follow(requester(), runId);
    const results = events.flatMap((event) => (event.type === "call.resolved" ? [[event.callId, event.status]] : []));
    expect(Object.fromEntries(results)).toEqual({ [`${runId}.0.0`]: "ok", [`${runId}.0.1`]: "error", [`${runId}.1.0`]: "cancelled" });
    expect(results).toHaveLength(3);
    const decider = { approvals: system.approvalsUrl, approver: system.keys.approver };
    await expect.poll(async () => (await look(decider, approvalId)).status).toBe("cancelled");
    expect((await look(decider, approvalId)).decisionToken).toBeUndefined();
    expect(api.filed()).toBe(0);
  });
});

function built(parts: Infrastructure | null): Infrastructure {
  if (!parts) throw new Error("The system has not started.");
  return parts;
}

/** Makes a read that takes ten minutes unless its signal aborts. */
function waitingTool() {
  const running = Promise.withResolvers<void>();
  const aborted = Promise.withResolvers<void>();
  const tool = defineTool({
    name: "wait_for_it",
    kind: "read",
    description: "Waits until it is cancelled, for a test.",
    parameters: { type: "object", properties: {}, additionalProperties: false },
    timeoutMs: 600_000,
    async run(_, { signal }) {
      running.resolve();
      await once(signal, "abort");
      aborted.resolve();
      return null;
    },
  });
  return { tool, running: running.promise, aborted: aborted.promise };
}

async function heldApi(): Promise<HeldApi> {
  const requests = new Map<string, PromiseWithResolvers<{ request: IncomingMessage; response: ServerResponse }>>();
  const entry = (release: string) => {
    const known = requests.get(release) ?? Promise.withResolvers<{ request: IncomingMessage; response: ServerResponse }>();
    requests.set(release, known);
    return known;
  };
  let filed = 0;
  const server = createServer((request, response) => {
    // This request is the worker's own check of the target. No run waits for it.
    if (request.url?.includes("availability-check")) response.end("{}");
    else if (request.method === "GET" && !request.url?.startsWith("/release-summary")) response.writeHead(404).end("{}");
    else if (request.method === "GET") entry(/r\d/.exec(request.url ?? "")?.[0] ?? "").resolve({ request, response });
    else {
      filed++;
      response.end("{}");
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async asked(release) {
      const { response } = await entry(release).promise;
      return { answer: (body) => response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body)) };
    },
    filed: () => filed,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
