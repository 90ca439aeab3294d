import { isDeepStrictEqual } from "node:util";
import type { Asked } from "@toolbus/model-servers";
import { describe, expect, it } from "vitest";
import type { ModelRequest } from "../model-provider.ts";
import { compileTool } from "../schema/compile-tool.ts";
import { readCorpus } from "../schema/corpus/read-corpus.ts";
import { completed, lookup, requestOf, resultEntry, seedTurn, toolNamed, userEntry, wireSetup } from "./requests.ts";
import type { WireProviderCase } from "./wire-provider-case.ts";

/** The maximum number of tools in one request. */
const MOST = 128;

/** Tests which tools the vendor allows the model to call, and the rules that every adapter enforces itself. */
export function describeToolChoice(wire: WireProviderCase): void {
  const { features } = wire;

  async function asked(more: Partial<ModelRequest>): Promise<Asked> {
    await using setup = await wireSetup(wire);
    let seen: Asked | undefined;
    setup.server.think((ask) => {
      seen = ask;
      return { text: "Well." };
    });
    await setup.provider.complete(requestOf([userEntry("Look.")], more), { signal: AbortSignal.timeout(20_000), onText: () => {} });
    if (!seen) throw new Error("The server was not asked.");
    return seen;
  }

  describe("tool choice", () => {
    it("is auto by default", async () => {
      expect((await asked({})).toolChoice).toBe("auto");
      expect((await asked({ toolChoice: "auto" })).toolChoice).toBe("auto");
    });

    it.runIf(features.toolChoices.includes("none"))("tells the vendor that nothing may be called", async () => {
      expect((await asked({ toolChoice: "none" })).toolChoice).toBe("none");
    });

    it.runIf(features.toolChoices.includes("required"))("tells the vendor that something must be called", async () => {
      expect((await asked({ toolChoice: "required" })).toolChoice).toBe("required");
    });

    it.runIf(features.toolChoices.includes("named"))("tells the vendor which tool must be called", async () => {
      expect((await asked({ toolChoice: `tool:${lookup.name}` })).toolChoice).toEqual({ name: lookup.name });
    });

    it("demands nothing that is not offered", async () => {
      expect((await asked({ toolChoice: "tool:gone" })).toolChoice).toBe("auto");
      expect(["auto", "none"]).toContain((await asked({ toolChoice: "required", tools: [] })).toolChoice);
    });

    it.runIf(features.parallelCalls)("tells the vendor if one call per turn is enough", async () => {
      expect((await asked({ parallelCalls: false })).parallelCalls).toBe(false);
      expect((await asked({ parallelCalls: true })).parallelCalls).toBe(true);
      expect((await asked({})).parallelCalls).toBe(true);
    });

    it("drops calls that come although none are allowed", async () => {
      await using setup = await wireSetup(wire);
      setup.server.think(() => ({ text: "I call it all the same.", calls: [{ name: lookup.name, arguments: { id: "7" } }] }));
      const pieces: string[] = [];
      const reply = await setup.provider.complete(requestOf([userEntry("Look.")], { toolChoice: "none" }), {
        signal: AbortSignal.timeout(20_000),
        onText: () => {},
        onArguments: ({ text }) => void pieces.push(text),
      });
      expect(reply).toMatchObject({ text: "I call it all the same.", calls: [], stop: "end_turn" });
      expect(pieces).toEqual([]);
      expect(JSON.stringify(reply.vendor?.payload ?? null)).not.toContain(lookup.name);
    });

    it("drops calls that come although nothing is offered", async () => {
      await using setup = await wireSetup(wire);
      setup.server.think(() => ({ text: "I call it all the same.", calls: [{ name: lookup.name, arguments: { id: "7" } }] }));
      const { reply } = await completed(setup.provider, requestOf([userEntry("Look.")], { tools: [] }));
      expect(reply).toMatchObject({ text: "I call it all the same.", calls: [], stop: "end_turn" });
    });

    it("is accepted if past calls used tools that are no longer offered", async () => {
      await using setup = await wireSetup(wire);
      const call = { id: "call_1", name: "gone_tool", arguments: "{}" };
      const transcript = [userEntry("Look."), seedTurn("", call), resultEntry(call.id, call.name, "Nothing.")];
      for (const more of [{ tools: [] }, { tools: [], toolChoice: "none" }, { toolChoice: "none" }, {}] as const)
        expect((await completed(setup.provider, requestOf(transcript, more))).reply.text).not.toBe("");
    });
  });

  describe("tools", () => {
    it("go with name, description and schema, and come back with their own names", async () => {
      await using setup = await wireSetup(wire);
      const odd = toolNamed("orders.look/up");
      let seen: Asked["tools"] = [];
      setup.server.think(({ tools }) => {
        seen = tools;
        return { calls: tools.map(({ name }) => ({ name, arguments: { id: "7", count: 1 } })) };
      });
      const { reply } = await completed(setup.provider, requestOf([userEntry("Look.")], { tools: [lookup, odd] }));
      expect(seen).toHaveLength(2);
      expect(seen[0]).toMatchObject({ name: lookup.name, description: lookup.description });
      expect(reply.calls.map(({ name }) => name)).toEqual([lookup.name, odd.name]);
      for (const call of reply.calls) expect(JSON.parse(call.arguments)).toEqual({ id: "7", count: 1 });
    });

    it("arrive exactly as they were compiled, whatever their schemas are", async () => {
      await using setup = await wireSetup(wire);
      let seen: Asked["tools"] = [];
      setup.server.think(({ tools }) => ((seen = tools), { text: "Well." }));
      const all = readCorpus().flatMap(({ tool }) => {
        const compiled = compileTool(tool, setup.provider.dialect);
        return compiled.ok ? [{ tool, compiled }] : [];
      });
      expect(all.length).toBeGreaterThan(150);
      for (let from = 0; from < all.length; from += MOST) {
        const part = all.slice(from, from + MOST);
        await completed(setup.provider, requestOf([userEntry("Look.")], { tools: part.map(({ tool }) => tool) }));
        const meant = part.map(({ compiled: { name, description, parameters: schema, strict } }) => ({
          name,
          description,
          schema,
          strict,
        }));
        expect(seen).toEqual(meant);
        // An undefined member or an infinite number has no form in JSON, so the payload would differ from the intended one.
        expect(isDeepStrictEqual(JSON.parse(JSON.stringify(meant)), meant)).toBe(true);
      }
    });

    it("are the first of them if there are more than the vendor accepts", async () => {
      const names = Array.from({ length: 140 }, (_, n) => `lookup_${n}`);
      const seen = await asked({ tools: names.map(toolNamed), toolChoice: "tool:lookup_139" });
      expect(seen.tools.map(({ name }) => name)).toEqual(names.slice(0, 128));
      expect(seen.toolChoice).toBe("auto");
    });

    it("of the past may be more than the vendor accepts", async () => {
      await using setup = await wireSetup(wire);
      const turns = Array.from({ length: 140 }, (_, n) => [
        seedTurn("", { id: `call_${n}`, name: `gone_${n}`, arguments: "{}" }),
        resultEntry(`call_${n}`, `gone_${n}`, "Nothing."),
      ]);
      const { reply } = await completed(setup.provider, requestOf([userEntry("Look."), ...turns.flat()], { tools: [] }));
      expect(reply.text).not.toBe("");
    });

    it("that were not offered are passed through unchanged", async () => {
      await using setup = await wireSetup(wire);
      setup.server.think(() => ({ calls: [{ name: "made_up", arguments: { id: "7" } }] }));
      const { reply } = await completed(setup.provider, requestOf([userEntry("Look.")]));
      expect(reply).toMatchObject({ stop: "tool_use", calls: [{ name: "made_up" }] });
    });

    it("stream their arguments by index and name, and the pieces together are the arguments", async () => {
      await using setup = await wireSetup(wire);
      setup.server.think(() => ({
        calls: [lookup.name, "restock_item"].map((name, n) => ({ name, arguments: { id: `order ${n}`, count: n } })),
      }));
      const written = ["", ""];
      const reply = await setup.provider.complete(requestOf([userEntry("Look.")]), {
        signal: AbortSignal.timeout(20_000),
        onText: () => {},
        onArguments: ({ index, name, text }) => {
          expect(name).toBe([lookup.name, "restock_item"][index]);
          written[index] += text;
        },
      });
      expect(written.map((text) => JSON.parse(text))).toEqual(reply.calls.map((call) => JSON.parse(call.arguments)));
    });
  });
}
