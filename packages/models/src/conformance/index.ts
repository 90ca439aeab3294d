import type { ModelServer } from "@toolbus/model-servers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ModelContext, ModelProvider, ModelReply, ModelRequest } from "../model-provider.ts";
import { UnpairedTranscript } from "../pairing.ts";
import { describeWire } from "./describe-wire.ts";
import { lookup, requestOf, userEntry } from "./requests.ts";
import type { WireProviderCase } from "./wire-provider-case.ts";

export type { WireFeatures, WireProviderCase } from "./wire-provider-case.ts";

export interface ModelProviderCase {
  open(): ModelProvider;
  /** A request whose answer has several words and no call. */
  readonly textRequest: ModelRequest;
  /** A request whose answer has at least one call. */
  readonly callRequest: ModelRequest;
  /** True if the same request always receives the same reply. */
  readonly deterministic: boolean;
}

/**
 * Proves the promises of `ModelProvider`. The tests of every adapter call this function. For a model in this process, they supply requests with known
 * answers. For a vendor's adapter, they supply a wire-level server, which also shows the vendor's requests and failures.
 */
export function describeModelProvider(name: string, provider: ModelProviderCase | WireProviderCase): void {
  if (!("start" in provider)) return describePromises(name, provider);
  let server: ModelServer | undefined;
  const open = (): ModelProvider => {
    if (!server) throw new Error("The vendor's server is not up yet.");
    return provider.open(server);
  };
  describe(`behind its server`, () => {
    beforeAll(async () => void (server = await provider.start()));
    afterAll(() => server?.close());
    describePromises(name, {
      open,
      textRequest: requestOf([userEntry("Tell me in a few words how you are.")]),
      callRequest: requestOf([userEntry(`Please ${lookup.name} {"id":"7"}`)]),
      deterministic: true,
    });
  });
  describeWire(name, provider);
}

function describePromises(name: string, { open, textRequest, callRequest, deterministic }: ModelProviderCase): void {
  const requests = [
    ["a text", textRequest],
    ["a call", callRequest],
  ] as const;

  describe(`model provider ${name}`, () => {
    it.each(requests)("emits deltas that together are the text of the reply, for %s", async (_, request) => {
      const { reply, deltas } = await completed(open(), request);
      expect(deltas.join("")).toBe(reply.text);
      expect(deltas).not.toContain("");
    });

    it("streams text in pieces if it says so", async () => {
      const provider = open();
      const { deltas } = await completed(provider, textRequest);
      expect(deltas.length > 1).toBe(provider.capabilities.streaming);
    });

    it("answers text without a call and ends the turn", async () => {
      const { reply } = await completed(open(), textRequest);
      expect(reply).toMatchObject({ calls: [], stop: "end_turn" });
      expect(reply.text).not.toBe("");
    });

    it("calls only offered tools, and says that it stopped for them", async () => {
      const { reply } = await completed(open(), callRequest);
      expect(reply.stop).toBe("tool_use");
      expect(reply.calls.length).toBeGreaterThan(0);
      for (const call of reply.calls) expect(callRequest.tools.map((tool) => tool.name)).toContain(call.name);
    });

    it("calls nothing if nothing is offered", async () => {
      const { reply } = await completed(open(), { ...callRequest, tools: [] });
      expect(reply.calls).toEqual([]);
      expect(reply.stop).not.toBe("tool_use");
    });

    it("calls nothing if the tool choice is none", async () => {
      const { reply } = await completed(open(), { ...callRequest, toolChoice: "none" });
      expect(reply.calls).toEqual([]);
    });

    it("gives each call an id that no call of the reply or the transcript has", async () => {
      const provider = open();
      const first = await completed(provider, callRequest);
      const repeated = await completed(provider, answered(callRequest, first.reply));
      const ids = [...callIds(callRequest), ...first.reply.calls.map(({ id }) => id), ...repeated.reply.calls.map(({ id }) => id)];
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids).not.toContain("");
    });

    it("refuses a transcript with an unanswered call before it emits anything", async () => {
      const { reply } = await completed(open(), callRequest);
      const whole = answered(callRequest, reply);
      const unpaired = { ...whole, transcript: whole.transcript.slice(0, -1) };
      const deltas: string[] = [];
      await expect(open().complete(unpaired, context(deltas))).rejects.toBeInstanceOf(UnpairedTranscript);
      expect(deltas).toEqual([]);
    });

    it("refuses a result of a call that the previous turn did not make, before it emits anything", async () => {
      const { reply } = await completed(open(), callRequest);
      const whole = answered(callRequest, reply);
      const { runId } = callRequest.run;
      const done = { type: "assistant", runId, round: 99, text: "Done.", calls: [], at: 0, provider: "any", model: "any" } as const;
      const late = { ...whole, transcript: [...whole.transcript, done, ...whole.transcript.slice(-1)] };
      const deltas: string[] = [];
      await expect(open().complete(late, context(deltas))).rejects.toBeInstanceOf(UnpairedTranscript);
      expect(deltas).toEqual([]);
    });

    it("rejects with the reason of a signal that has already aborted, and emits nothing", async () => {
      const deltas: string[] = [];
      const reason = new Error("cancelled");
      await expect(open().complete(textRequest, context(deltas, AbortSignal.abort(reason)))).rejects.toBe(reason);
      expect(deltas).toEqual([]);
    });

    it("rejects with the reason of a signal that aborts in the middle, and emits nothing more", async () => {
      const deltas: string[] = [];
      const reason = new Error("cancelled");
      const controller = new AbortController();
      const onText = (delta: string) => {
        deltas.push(delta);
        controller.abort(reason);
      };
      await expect(open().complete(textRequest, { signal: controller.signal, onText })).rejects.toBe(reason);
      expect(deltas).toHaveLength(1);
    });

    it("never estimates fewer tokens for a longer prompt", () => {
      const provider = open();
      const { transcript, system } = callRequest;
      const estimates = transcript.map((_, n) => provider.estimateTokens(transcript.slice(0, n + 1), system));
      expect(estimates).toEqual(estimates.toSorted((a, b) => a - b));
      expect(provider.estimateTokens([], "a longer system prompt")).toBeGreaterThan(provider.estimateTokens([], ""));
    });

    it("never estimates more tokens for an entry than its own limit", () => {
      const provider = open();
      for (const entry of callRequest.transcript)
        expect(provider.estimateTokens([entry], "")).toBeLessThanOrEqual(provider.mostTokens?.(entry) ?? Number.POSITIVE_INFINITY);
    });

    it.runIf(deterministic)("gives the same reply to the same request", async () => {
      const [one, other] = [await completed(open(), callRequest), await completed(open(), callRequest)];
      expect(one).toEqual(other);
    });
  });
}

async function completed(provider: ModelProvider, request: ModelRequest): Promise<{ reply: ModelReply; deltas: readonly string[] }> {
  const deltas: string[] = [];
  return { reply: await provider.complete(request, context(deltas)), deltas };
}

// The deadline of a request. Every provider is faster. If a provider hangs, its test fails with a reason.
const DEADLINE_MS = 20_000;

function context(deltas: string[], signal = AbortSignal.timeout(DEADLINE_MS)): ModelContext {
  return { signal, onText: (delta) => void deltas.push(delta) };
}

function callIds(request: ModelRequest): readonly string[] {
  return request.transcript.flatMap((entry) => (entry.type === "assistant" ? entry.calls.map(({ id }) => id) : []));
}

/** Returns the request after this reply. It answers each call with a temporary failure. */
function answered(request: ModelRequest, { text, calls, model }: ModelReply): ModelRequest {
  const { runId } = request.run;
  const at = 0;
  const round = request.transcript.length;
  const content = JSON.stringify({ error: "unavailable", message: "It does not answer.", retryable: true });
  const turn = {
    type: "assistant",
    runId,
    round,
    text,
    at,
    provider: "any",
    model,
    calls: calls.map((call, n) => ({ ...call, callId: `${runId}.${round}.${n}` })),
  } as const;
  const results = turn.calls.map(
    ({ id, callId, name }) => ({ type: "result", runId, round, id, callId, name, status: "error", content, isError: true, at }) as const,
  );
  return { ...request, transcript: [...request.transcript, turn, ...results] };
}
