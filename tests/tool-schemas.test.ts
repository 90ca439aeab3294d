import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { publicTool, type Registration, type ToolDefinition } from "@toolbus/contracts";
import { compileForAll, DIALECTS } from "@toolbus/models";
import { releaseToolset } from "@toolbus/tool-executor";
import type { Toolset } from "@toolbus/tool-kit";
import { describe, expect, it } from "vitest";

const root = path.join(import.meta.dirname, "..");

// What no package gives out, because nobody but a test of all tools has a use for it.
const { orders } = await shippedFrom<{ orders(shop: object): Toolset }>("examples/orders-worker/src/orders.ts");
const { askUser, conclude, recallTool } = await shippedFrom<Record<"askUser" | "conclude" | "recallTool", Registration>>(
  "services/agent/src/loop/loop-tools.ts",
);

/** Every tool that ships: one bad schema would fail the whole request, so each must keep the rules of every provider (V-12). */
const shipped: readonly ToolDefinition[] = [
  ...releaseToolset({ url: "http://127.0.0.1:9" }).list(),
  ...orders({}).list(),
  askUser,
  conclude,
  recallTool,
].map(({ definition }) => definition);

/** What is lost of a shipped tool; nothing is lost that a provider could be told. `ollama` and servers of the `compatible` kind take the fewest words. */
const NO_BOUNDS = /^"(min|max)(Length|Items)": \d+ is not passed on\.$/;
const BOUND =
  /^"(minimum|maximum|exclusiveMinimum|exclusiveMaximum|pattern|format|minLength|maxLength|minItems|maxItems)": .+ is not passed on\.$/;

describe("every tool that ships", () => {
  it("is among those that are checked here", () => {
    // Not through node_modules: its links lead in circles.
    const rooms = ["services", "examples"].flatMap((room) =>
      readdirSync(path.join(root, room)).map((name) => path.join(root, room, name, "src")),
    );
    const sources = rooms.flatMap((room) =>
      readdirSync(room, { recursive: true, encoding: "utf8" })
        .filter((file) => file.endsWith(".ts") && !/\.test\.ts$|under-test/.test(file))
        .map((file) => readFileSync(path.join(room, file), "utf8")),
    );
    const defined = sources.flatMap((source) => [...source.matchAll(/\bdefineTool\(\{|= loopTool\(/g)]).length;
    expect(defined).toBe(shipped.length);
  });

  it.each(shipped.map((definition) => [definition.name, definition] as const))(
    "%s: compiles for every provider, and is set aside for none",
    (_name, definition) => {
      const compiled = compileForAll(publicTool(definition));
      expect(Object.keys(compiled)).toEqual([...DIALECTS]);
      for (const dialect of DIALECTS) {
        const tool = compiled[dialect];
        if (!tool.ok) throw new Error(`${dialect}: ${tool.pointer} ${tool.reason}`);
        expect(tool.name).toBe(definition.name);
        // What is sent is what the SDK sends: it survives being written as JSON.
        expect(JSON.parse(JSON.stringify(tool.parameters))).toEqual(tool.parameters);
        const expected = dialect === "anthropic" || dialect === "openai" || dialect === "cli" ? NO_BOUNDS : BOUND;
        for (const { what } of tool.losses) expect([dialect, what]).toEqual([dialect, expect.stringMatching(expected)]);
      }
    },
  );

  it("is passed on to Anthropic, OpenAI and a command line without any loss", () => {
    const losses = shipped.flatMap((definition) => {
      const { anthropic, openai, cli } = compileForAll(publicTool(definition));
      return [anthropic, openai, cli].flatMap((tool) => (tool.ok ? tool.losses : []));
    });
    expect(losses).toEqual([]);
  });
});

async function shippedFrom<T>(file: string): Promise<T> {
  return (await import(pathToFileURL(path.join(root, file)).href)) as T;
}
