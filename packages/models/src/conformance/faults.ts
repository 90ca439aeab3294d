import type { Fault } from "@toolbus/model-servers";
import { describe, expect, it } from "vitest";
import {
  AuthenticationError,
  ContextOverflow,
  type ModelError,
  NetworkError,
  ProviderError,
  RateLimitError,
  ValidationError,
} from "../model-errors.ts";
import { completed, failure, requestOf, userEntry, wireSetup } from "./requests.ts";
import type { WireProviderCase } from "./wire-provider-case.ts";

interface Ending {
  readonly class: new (...args: never) => ModelError;
  readonly retryable: boolean;
  /** Undefined if the value is irrelevant. */
  readonly retryAfterMs?: number | null;
}

/** Tests that a failed request rejects with one of the error classes and returns no part of a reply. */
export function describeFaults(wire: WireProviderCase): void {
  const { overloaded } = wire.features;
  const provider = { class: ProviderError, retryable: true };
  const network = { class: NetworkError, retryable: true };
  const status = (code: number, more: { retryAfter?: number; message?: string } = {}): Fault => ({ kind: "status", status: code, ...more });

  describe("faults", () => {
    it.each<[string, Fault, Ending]>([
      ["a refused key", status(401), { class: AuthenticationError, retryable: false }],
      ["a key that may not", status(403), { class: AuthenticationError, retryable: false }],
      ["a request that is wrong", status(400), { class: ValidationError, retryable: false }],
      ["a missing model", status(404), { class: ValidationError, retryable: false }],
      ["a prompt that is too large", status(413), { class: ContextOverflow, retryable: false }],
      ["too many requests", status(429), { class: RateLimitError, retryable: true, retryAfterMs: null }],
      ["too many requests for a while", status(429, { retryAfter: 7 }), { class: RateLimitError, retryable: true, retryAfterMs: 7000 }],
      ["a request that took too long", status(408), provider],
      ["a conflict", status(409), provider],
      ["a server that failed", status(500), provider],
      ["a bad gateway", status(502), provider],
      ["a server that is unavailable for a while", status(503, { retryAfter: 2 }), { ...provider, retryAfterMs: 2000 }],
      ["a gateway that waited too long", status(504), provider],
      ["a server that is overloaded", status(overloaded, { retryAfter: 1 }), { ...provider, retryAfterMs: 1000 }],
      ["an error in the middle of the stream", { kind: "error-in-stream", status: overloaded }, provider],
      ["a failed server in the middle of the stream", { kind: "error-in-stream", status: 500 }, provider],
      ["a connection cut in the middle of a frame", { kind: "cut" }, network],
      ["a stream that ends without saying so", { kind: "no-end" }, network],
      ["broken JSON", { kind: "broken-json" }, provider],
      ["a page instead of a stream", { kind: "content-type" }, { class: ProviderError, retryable: false }],
    ])("ends %s as it should, with nothing of a reply", async (_, fault, ending) => {
      await using setup = await wireSetup(wire);
      setup.server.failNext(fault);
      const { error, deltas } = await failure(setup.provider, requestOf([userEntry("Tell me something long.")]));
      const until = deltas.length;
      expect(error).toBeInstanceOf(ending.class);
      expect(error).toMatchObject({ retryable: ending.retryable });
      if (ending.retryAfterMs !== undefined) expect(error).toMatchObject({ retryAfterMs: ending.retryAfterMs });
      expect(setup.server.requests).toHaveLength(1);
      // The caller may retry, and the retry does not repeat the text that was streamed before.
      const { reply } = await completed(setup.provider, requestOf([userEntry("Tell me something long.")]));
      expect(reply.text).not.toBe("");
      expect(deltas).toHaveLength(until);
    });

    it.each<[string, Fault, RegExp]>([
      ["the status", status(500), /500/],
      ["the wait", status(429, { retryAfter: 7 }), /429/],
      ["that a tool's schema comes first", status(400, { message: "something is wrong" }), /tool's schema (is the )?first/i],
      ["the setting of the model", status(404), /LLM_MODEL/],
    ])("names %s in the error", async (_, fault, words) => {
      await using setup = await wireSetup(wire);
      setup.server.failNext(fault);
      const { error } = await failure(setup.provider, requestOf([userEntry("Look.")]));
      expect(String(error)).toMatch(words);
    });

    it.skipIf(wire.features.keyless)("names the setting of a key that is not accepted, and does not repeat the key", async () => {
      await using server = await serverOf(wire);
      const { error } = await failure(wire.open(server.server, "sk-wrong-key-0123456789"), requestOf([userEntry("Look.")]));
      expect(error).toBeInstanceOf(AuthenticationError);
      expect(String(error)).toMatch(/[A-Z]+_[A-Z_]+/);
      expect(String(error)).not.toContain("sk-wrong-key-0123456789");
    });

    it.skipIf(wire.features.keyless)("never repeats the key or the request, whatever the vendor writes", async () => {
      await using setup = await wireSetup(wire);
      for (const code of [400, 403, 404, 429, 500]) {
        setup.server.failNext(status(code, { message: `bad: Bearer ${setup.server.key} ${setup.server.key}` }));
        const { error } = await failure(setup.provider, requestOf([userEntry("My card is 4711.")]));
        expect(String(error)).not.toContain(setup.server.key);
        expect(String(error)).not.toContain("4711");
      }
    });

    it("is a network error if nobody listens", async () => {
      const setup = await wireSetup(wire);
      await setup[Symbol.asyncDispose]();
      const { error, deltas } = await failure(setup.provider, requestOf([userEntry("Look.")]));
      expect(error).toBeInstanceOf(NetworkError);
      expect(String(error)).toContain(new URL(setup.server.url).host);
      expect(deltas).toEqual([]);
    });

    it.each<[string, Fault]>([
      ["hangs", { kind: "hang" }],
      ["drips", { kind: "drip" }],
    ])("rejects with the signal's own reason when the vendor %s, and emits nothing more", async (_, fault) => {
      await using setup = await wireSetup(wire);
      setup.server.failNext(fault);
      const controller = new AbortController();
      const reason = new Error("deadline");
      const ended = failure(setup.provider, requestOf([userEntry("Look.")]), controller.signal);
      await expect.poll(() => setup.server.requests.length, { timeout: 10_000, interval: 5 }).toBe(1);
      controller.abort(reason);
      const { error, deltas } = await ended;
      expect(error).toBe(reason);
      const until = deltas.length;
      await completed(setup.provider, requestOf([userEntry("Look.")]));
      expect(deltas).toHaveLength(until);
    });
  });
}

async function serverOf(wire: WireProviderCase) {
  const server = await wire.start();
  return { server, [Symbol.asyncDispose]: () => server.close() };
}
