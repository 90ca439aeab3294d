import type { AllInOne } from "@toolbus/all-in-one";
import type { ReleaseApi } from "@toolbus/example-release-api";
import type { RunEvent } from "@toolbus/contracts";
import type { Fault, ModelServer } from "@toolbus/model-servers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call, follow } from "./testing/http-client.ts";
import { ASK, modelSystem, oneRelease } from "./testing/model-system.ts";
import { vendorsPlayed } from "./testing/model-vendors.ts";
import { scratch, type Scratch } from "./testing/scratch.ts";

/**
 * What happens to a run whose first model call fails in this way. Either the call is retried ("again"), or the run ends with a cause that a person
 * can act on.
 */
const FAULTS: readonly (readonly [name: string, fault: Fault, outcome: "again" | RegExp])[] = [
  ["429 without retry-after", { kind: "status", status: 429 }, "again"],
  ["429 with retry-after", { kind: "status", status: 429, retryAfter: 1 }, "again"],
  ["500", { kind: "status", status: 500 }, "again"],
  ["529, overloaded", { kind: "status", status: 529 }, "again"],
  ["529 inside a 200 stream", { kind: "error-in-stream", status: 529 }, "again"],
  ["a break in the middle of a frame", { kind: "cut" }, "again"],
  ["a stream without its end", { kind: "no-end" }, "again"],
  ["a slow drip", { kind: "drip" }, "again"],
  ["no answer", { kind: "hang" }, "again"],
  ["broken JSON", { kind: "broken-json" }, "again"],
  ["a page of HTML", { kind: "content-type" }, /HTML|content type|text\/html/i],
  ["400", { kind: "status", status: 400 }, /schema|request/i],
  ["401", { kind: "status", status: 401 }, /KEY|key|credential/i],
  ["403", { kind: "status", status: 403 }, /KEY|key|credential|access/i],
  ["404", { kind: "status", status: 404 }, /LLM_MODEL|model/],
];

const SERVED = vendorsPlayed().filter(({ served }) => served !== null);

let files: Scratch;
let api: ReleaseApi;
beforeAll(async () => {
  files = scratch();
  api = await oneRelease(files.at("release-api"));
});
afterAll(async () => {
  await api.stop();
  files.remove();
});

describe.each(SERVED)("a failing model call through $name", (vendor) => {
  let server: ModelServer;
  let system: AllInOne;
  let stop: () => Promise<void>;
  beforeAll(async () => {
    ({ server, system, stop } = await modelSystem(vendor, {
      directory: files.data(),
      api,
      env: { MODEL_RETRY_MS: "20", MODEL_TIMEOUT_MS: "1500", POLL_MS: "50" },
    }));
  });
  afterAll(() => stop());

  it.each(FAULTS)("by %s ends in a visible retry, or in an error that names the cause", async (_, fault, outcome) => {
    server.failNext(fault);
    const events = await said(system, ASK);
    const retries = events.filter((event) => event.type === "model.retry");
    const end = events.at(-1);
    if (outcome === "again") {
      expect(retries).toMatchObject([{ attempt: 1, round: 1 }]);
      expect(end).toMatchObject({ type: "run.completed" });
      // There are two turns, one with the call and one with the answer, and the call was made once. So the failed attempt committed nothing.
      expect(events.filter(({ type }) => type === "turn")).toHaveLength(2);
      expect(events.filter(({ type }) => type === "call.resolved")).toMatchObject([{ status: "ok" }]);
    } else {
      expect(retries).toEqual([]);
      expect(end).toMatchObject({ type: "run.failed", message: expect.stringMatching(outcome) as string });
      expect(events.filter(({ type }) => type === "turn" || type === "call.resolved")).toEqual([]);
    }
    // Ollama has no key.
    if (vendor.served !== "ollama") expect(JSON.stringify(events)).not.toContain(server.key);
  });

  it("three times in a row ends the run with the last cause, after two retries and three calls", async () => {
    const before = server.requests.length;
    server.failNext({ kind: "status", status: 529 }, { kind: "status", status: 503 }, { kind: "error-in-stream", status: 529 });
    const events = await said(system, ASK);
    expect(events.filter((event) => event.type === "model.retry").map(({ attempt }) => attempt)).toEqual([1, 2]);
    expect(events.at(-1)).toMatchObject({ type: "run.failed" });
    expect(server.requests.length - before).toBe(3);
  });
});

/** Sends this text in a new conversation and returns all events. */
async function said({ gatewayUrl, keys }: AllInOne, text: string): Promise<readonly RunEvent[]> {
  const { body } = await call(`${gatewayUrl}/v1/conversations`, keys.user, {});
  const { conversationId } = body as { readonly conversationId: string };
  const sent = await call(`${gatewayUrl}/v1/conversations/${conversationId}/messages`, keys.user, { text });
  const { runId } = sent.body as { readonly runId: string };
  return follow({ gateway: gatewayUrl, user: keys.user }, runId);
}
