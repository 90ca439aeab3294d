import type { TranscriptEntry } from "@toolbus/contracts";
import type { Asked } from "@toolbus/model-servers";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyTranscript } from "./any-transcript.ts";
import { afterReply, completed, lookup, requestOf, restock, resultEntry, seedTurn, toolNamed, userEntry, wireSetup } from "./requests.ts";
import { expectSameConversation } from "./same-conversation.ts";
import type { WireProviderCase } from "./wire-provider-case.ts";

/** Tests the conversation that the vendor receives for a transcript, whoever wrote its turns. */
export function describeTranscripts(wire: WireProviderCase): void {
  const { features } = wire;

  async function expectTaken(transcript: readonly TranscriptEntry[]): Promise<void> {
    await using setup = await wireSetup(wire);
    let messages: Asked["messages"] = [];
    setup.server.think((asked) => {
      messages = asked.messages;
      return { text: "Well." };
    });
    await completed(setup.provider, requestOf(transcript));
    expectSameConversation(messages, transcript, features.marksFailures);
  }

  describe("transcripts", () => {
    const seed = seedTurn("", { id: "seed_lookup_order", name: lookup.name, arguments: '{"id":"7"}' });
    const seedResult = resultEntry("seed_lookup_order", lookup.name, '{"found":true}');
    const said = seedTurn("I have looked.");
    const odd = ["a.b:c/d", "x".repeat(300), "好 的", " ", "a.b:c_d"];
    const oddTurn = seedTurn("", ...odd.map((id) => ({ id, name: "orders.look/up", arguments: "{}" })));

    it.each<[string, readonly TranscriptEntry[]]>([
      ["a seed turn in the vendor's own shape", [userEntry("Look."), seed, seedResult]],
      ["a transcript that begins with a turn", [seed, seedResult, said, userEntry("And now?")]],
      ["a transcript that ends with a turn", [userEntry("Look."), said]],
      ["a transcript of one turn", [said]],
      ["an empty transcript", []],
      ["two adjacent turns", [userEntry("Look."), said, seedTurn("Twice."), userEntry("And now?")]],
      ["adjacent messages", [userEntry("Look."), userEntry("No, stop."), seed, seedResult, userEntry("Go on."), userEntry("Please.")]],
      ["ids that no vendor accepts", [userEntry("Look."), oddTurn, ...odd.map((id) => resultEntry(id, "orders.look/up", id))]],
      ["a repeated id", [userEntry("Look."), seed, seedResult, seed, seedResult, said]],
      ["results that are failures", [userEntry("Look."), seed, resultEntry("seed_lookup_order", lookup.name, "It broke.", true)]],
      [
        "results without content",
        [
          userEntry("Look."),
          seed,
          resultEntry("seed_lookup_order", lookup.name, "", true),
          seed,
          resultEntry("seed_lookup_order", lookup.name, "\n"),
        ],
      ],
      ["blank texts", [userEntry(""), seedTurn(" "), userEntry("\n"), seedTurn("", ...seed.calls), seedResult, userEntry(" ")]],
      ["half of a character", [userEntry("cut \ud83d"), seed, resultEntry("seed_lookup_order", lookup.name, "cut \ud83d")]],
      [
        "arguments that are not a JSON object",
        [
          userEntry("Look."),
          seedTurn("", ...['{"id":', "[1]", "null", ""].map((text, n) => ({ id: `c${n}`, name: lookup.name, arguments: text }))),
          ...[0, 1, 2, 3].map((n) => resultEntry(`c${n}`, lookup.name, "No.", true)),
        ],
      ],
      [
        "turns with another vendor's own form",
        [
          userEntry("Look."),
          {
            ...seed,
            provider: "other",
            model: "other-model",
            vendor: { api: "other.vendor", model: "other-model", payload: { secret: 1 } },
          },
          seedResult,
        ],
      ],
    ])("accepts %s", async (_, transcript) => {
      await expectTaken(transcript);
    });

    it("accepts any transcript that is paired, with every call, result and text in its place", async () => {
      await using setup = await wireSetup(wire);
      let messages: Asked["messages"] = [];
      setup.server.think((asked) => {
        messages = asked.messages;
        return { text: "Well." };
      });
      await fc.assert(
        fc.asyncProperty(anyTranscript, async (transcript) => {
          await completed(setup.provider, requestOf(transcript, { tools: [lookup, restock, toolNamed("orders.lookup")] }));
          expectSameConversation(messages, transcript, features.marksFailures);
        }),
        { numRuns: process.env["LONG_PROOFS"] === undefined ? 100 : 300 },
      );
    }, 60_000);

    it("sends its own turns back, and continues from those of another provider in mid-conversation", async () => {
      await using setup = await wireSetup(wire);
      let asks: Asked["messages"][] = [];
      setup.server.think(({ messages }) => {
        asks = [...asks, messages];
        const thinking = features.signedThinking ? { thinking: `I think for the ${asks.length}. time.` } : {};
        return { ...thinking, text: `Turn ${asks.length}.`, calls: [{ name: lookup.name, arguments: { id: `${asks.length}` } }] };
      });
      let request = requestOf([userEntry("Look."), seed, seedResult]);
      for (let round = 0; round < 3; round++)
        request = afterReply(request, (await completed(setup.provider, request)).reply, setup.provider);
      // This turn looks like one of another provider.
      const foreign = { ...seed, provider: "other", model: "o", vendor: { api: "other.vendor", model: "o", payload: [] } };
      request = { ...request, transcript: [...request.transcript, foreign, seedResult, userEntry("And now?")] };
      await completed(setup.provider, request);
      expect(setup.server.requests.map(({ status, refusal }) => [status, refusal])).toEqual(Array(4).fill([200, undefined]));
      expectSameConversation(asks.at(-1) ?? [], request.transcript, features.marksFailures);
    });

    it.runIf(features.signedThinking)("sends thinking back with its signature, and leaves out what another model thought", async () => {
      await using setup = await wireSetup(wire);
      setup.server.think(({ messages }) =>
        messages.length > 1 ? { text: "Done." } : { thinking: "Hm, a lookup.", calls: [{ name: lookup.name, arguments: { id: "7" } }] },
      );
      const request = requestOf([userEntry("Look.")]);
      const { reply } = await completed(setup.provider, request);
      const next = afterReply(request, reply, setup.provider);
      await completed(setup.provider, next);
      expect(JSON.stringify(setup.server.requests.at(-1)?.body)).toContain("Hm, a lookup.");
      const moved = next.transcript.map((entry) =>
        entry.type === "assistant" && entry.vendor ? { ...entry, vendor: { ...entry.vendor, model: "another-model" } } : entry,
      );
      // Another model continues on a separate server, because the first server would accept its own thinking.
      await using other = await wireSetup(wire);
      await completed(other.provider, { ...next, transcript: moved });
      expect(JSON.stringify(other.server.requests.at(-1)?.body)).not.toContain("Hm, a lookup.");
    });

    it("believes the neutral form if the vendor's own differs", async () => {
      await using setup = await wireSetup(wire);
      setup.server.think(({ messages }) =>
        messages.length > 1 ? { text: "Done." } : { text: "I look.", calls: [{ name: lookup.name, arguments: { id: "7" } }] },
      );
      const request = requestOf([userEntry("Look.")]);
      const { reply } = await completed(setup.provider, request);
      const { transcript } = afterReply(request, reply, setup.provider);
      const renamed = transcript.map((entry): TranscriptEntry => {
        if (entry.type === "assistant") return { ...entry, calls: entry.calls.map((call) => ({ ...call, id: "another" })) };
        return entry.type === "result" ? { ...entry, id: "another" } : entry;
      });
      expect((await completed(setup.provider, { ...request, transcript: renamed })).reply.text).toBe("Done.");
    });
  });
}
