import type { Answered } from "@toolbus/model-servers";
import { describe, expect, it } from "vitest";
import type { StopReason } from "../model-provider.ts";
import { afterReply, completed, lookup, requestOf, userEntry, wireSetup } from "./requests.ts";
import type { WireProviderCase } from "./wire-provider-case.ts";

/** Tests how a turn ends and which of its parts are used. */
export function describeEndings(wire: WireProviderCase): void {
  const call = { name: lookup.name, arguments: { id: "7" } };

  describe("endings", () => {
    it.each<[string, Answered, StopReason, number]>([
      ["text is the end of the turn", { text: "Done." }, "end_turn", 0],
      ["text and calls are calls", { text: "I look.", calls: [call] }, "tool_use", 1],
      ["several calls are calls", { calls: [call, call, call] }, "tool_use", 3],
      ["calls are calls even if the model says that it is done", { calls: [call], stop: "end" }, "tool_use", 1],
      ["a stop for calls without a call is the end of the turn", { text: "I look.", stop: "calls" }, "end_turn", 0],
      ["nothing at all is the end of the turn", { stop: "end" }, "end_turn", 0],
      ["a turn that is too long is cut off", { text: "So", stop: "length" }, "max_tokens", 0],
      ["half a call is not a call", { text: "So", calls: [{ ...call, raw: '{"id":' }], stop: "length" }, "max_tokens", 0],
      ["a refusal is a refusal", { text: "No.", stop: "refusal" }, "refusal", 0],
      ["a call in a refusal does not count", { text: "No.", calls: [call], stop: "refusal" }, "refusal", 0],
    ])("keep their meaning: %s", async (_, answered, stop, calls) => {
      await using setup = await wireSetup(wire);
      setup.server.think(() => answered);
      const { reply, deltas } = await completed(setup.provider, requestOf([userEntry("Look.")]));
      expect(reply.stop).toBe(stop);
      expect(reply.calls).toHaveLength(calls);
      expect(reply.text).toBe(answered.text ?? "");
      expect(deltas.join("")).toBe(reply.text);
      if (stop === "max_tokens" || stop === "refusal") expect(JSON.stringify(reply.vendor?.payload ?? null)).not.toContain(lookup.name);
    });

    it("accepts every ended turn in the next request", async () => {
      for (const stop of ["end", "length", "refusal"] as const) {
        await using setup = await wireSetup(wire);
        setup.server.think(() => ({ text: "So far.", calls: stop === "end" ? [call] : [], stop: stop === "end" ? "calls" : stop }));
        const request = requestOf([userEntry("Look.")]);
        const { reply } = await completed(setup.provider, request);
        const next = afterReply(request, reply, setup.provider);
        await completed(setup.provider, { ...next, transcript: [...next.transcript, userEntry("And now?")] });
        expect(setup.server.requests.map(({ status, refusal }) => [status, refusal])).toEqual([
          [200, undefined],
          [200, undefined],
        ]);
      }
    });

    it.runIf(wire.features.pauses)("continues after a pause, with the turn in the transcript", async () => {
      await using setup = await wireSetup(wire);
      setup.server.think(({ messages }) => (messages.length === 1 ? { text: "Half of it", stop: "pause" } : { text: " and the rest." }));
      const request = requestOf([userEntry("Look.")]);
      const { reply } = await completed(setup.provider, request);
      expect(reply).toMatchObject({ stop: "pause", calls: [], text: "Half of it" });
      const after = afterReply(request, reply, setup.provider);
      const second = await completed(setup.provider, after);
      expect(second.reply).toMatchObject({ stop: "end_turn", text: " and the rest." });
      const third = afterReply(after, second.reply, setup.provider);
      await completed(setup.provider, { ...third, transcript: [...third.transcript, userEntry("Thank you.")] });
      expect(setup.server.requests.map(({ status }) => status)).toEqual([200, 200, 200]);
    });

    it("reports the usage of the whole prompt and the whole reply", async () => {
      await using setup = await wireSetup(wire);
      const request = requestOf([userEntry("Look at it, and at all that belongs to it.")]);
      const first = await completed(setup.provider, request);
      const next = afterReply(request, first.reply, setup.provider);
      const second = await completed(setup.provider, { ...next, transcript: [...next.transcript, userEntry("Once more.")] });
      for (const { usage } of [first.reply, second.reply]) {
        expect(usage.estimated).toBeUndefined();
        expect(usage.inputTokens).toBeGreaterThan(0);
        expect(usage.outputTokens).toBeGreaterThan(0);
        expect(usage.cacheReadTokens ?? 0).toBeLessThan(usage.inputTokens);
      }
      expect(second.reply.usage.inputTokens).toBeGreaterThan(first.reply.usage.inputTokens);
      expect(first.reply.model).toBe(setup.server.model);
    });
  });

  describe("calls", () => {
    it("get new ids if the vendor repeats them or leaves them out", async () => {
      await using setup = await wireSetup(wire);
      setup.server.think(({ messages }) =>
        messages.filter(({ role }) => role === "assistant").length > 1
          ? { text: "Done." }
          : { calls: ["", "same", "same", "", "call_1"].map((id) => ({ ...call, id })) },
      );
      const ids: string[] = [];
      let request = requestOf([userEntry("Look.")]);
      for (let round = 0; round < 2; round++) {
        const { reply } = await completed(setup.provider, request);
        expect(reply.calls).toHaveLength(5);
        ids.push(...reply.calls.map(({ id }) => id));
        request = afterReply(request, reply, setup.provider, (n) => ({ content: `{"n":${n}}`, isError: n === 1 }));
      }
      await completed(setup.provider, request);
      expect(new Set(ids).size).toBe(10);
      expect(ids).not.toContain("");
      expect(setup.server.requests.map(({ status, refusal }) => [status, refusal])).toEqual(Array(3).fill([200, undefined]));
    });

    it.each([
      ["an object without members", "{}"],
      ["text that breaks off", '{"id": "7", "count'],
      ["a list", "[1, 2]"],
      ["a text", '"seven"'],
    ])("keep %s as their arguments, and the turn can be sent back", async (_, raw) => {
      await using setup = await wireSetup(wire);
      setup.server.think(({ messages }) => (messages.length > 1 ? { text: "Done." } : { calls: [{ ...call, raw }] }));
      const request = requestOf([userEntry("Look.")]);
      const { reply } = await completed(setup.provider, request);
      expect(reply.calls[0]?.arguments).toBe(raw);
      const next = afterReply(request, reply, setup.provider, () => ({ content: "The arguments cannot be read.", isError: true }));
      expect((await completed(setup.provider, next)).reply.text).toBe("Done.");
    });
  });
}
