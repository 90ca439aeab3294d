import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { INVOKE_TOOL, publicTool, type Registration, type ToolDefinition } from "@toolbus/contracts";
import { SERVED } from "@toolbus/model-servers";
import { compileForAll, connectModel, DIALECTS, dialectRules, MODEL_PROVIDERS, noModelSettings, type ProviderName } from "@toolbus/models";
import { publicKeys } from "@toolbus/grants";
import { memoryStore } from "@toolbus/state";
import { silentLog } from "@toolbus/telemetry";
import { guidesToolset, releaseToolset } from "@toolbus/tool-executor";
import { type Tool, type Toolset, toolset } from "@toolbus/tool-kit";
import { describe, expect, it } from "vitest";

const root = path.join(import.meta.dirname, "..");

// The packages do not export these functions, because only a test of all tools uses them.
const { orders } = await shippedFrom<{ orders(shop: object): Toolset }>("examples/orders-worker/src/orders.ts");
const { serviceTools } = await shippedFrom<{ serviceTools(options: object): readonly Tool[] }>(
  "services/tool-executor/src/toolsets/mcp/services/service-tools.ts",
);
const { registerTools } = await shippedFrom<{ registerTools(options: object): readonly Tool[] }>(
  "services/tool-executor/src/toolsets/mcp/registered/register-tools.ts",
);
const { askUser, conclude, recallTool } = await shippedFrom<Record<"askUser" | "conclude" | "recallTool", Registration>>(
  "services/agent/src/transitions/loop-tools.ts",
);

/** Every tool that ships. One bad schema would fail the whole request, so each tool must keep the rules of every provider (V-12). */
const shipped: readonly ToolDefinition[] = [
  ...releaseToolset({ url: "http://127.0.0.1:9" }).list(),
  ...guidesToolset({ state: memoryStore({ clock: () => 0 }), gatewayKeys: publicKeys([]), log: silentLog }).list(),
  ...orders({}).list(),
  ...toolset({ name: "mcp", tools: [...serviceTools({}), ...registerTools({})] }).list(),
  askUser,
  conclude,
  recallTool,
].map(({ definition }) => definition);

const byName = shipped.map((definition) => [definition.name, definition] as const);

/**
 * What the schemas of shipped tools may lose in a translation: only keywords that the provider does not understand, such as bounds and patterns.
 * `ollama` and servers of the kind `compatible` understand the fewest keywords.
 */
const NO_BOUNDS = /^"(min|max)(Length|Items)": \d+ is not passed on\.$/;
const BOUND =
  /^"(minimum|maximum|exclusiveMinimum|exclusiveMaximum|pattern|format|minLength|maxLength|minItems|maxItems)": .+ is not passed on\.$/;

/** The only other loss. The arguments of any tool have no schema, so a model writes them as JSON text. */
const AS_TEXT = "The members of the object are not passed on: it is written as JSON text.";

/** Providers without a vendor's server that could refuse a schema: our own rules, and a program on this machine. */
const BEHIND_NO_WIRE: readonly ProviderName[] = ["offline", "cli"];

/** The options that each provider needs. The test makes no connection. */
const NEEDED = {
  keys: { anthropic: "k", openai: "k", openrouter: "k", compatible: "k" },
  awsRegion: "eu-central-1",
  baseUrl: "http://127.0.0.1:9/v1",
  cliCommand: process.execPath,
};

describe("every tool that ships", () => {
  it("is among those that are checked here", () => {
    // The search leaves out node_modules, because its links form circles.
    const rooms = ["services", "examples"]
      .flatMap((room) => readdirSync(path.join(root, room)).map((name) => path.join(root, room, name, "src")))
      .filter((room) => existsSync(room));
    const sources = rooms.flatMap((room) =>
      readdirSync(room, { recursive: true, encoding: "utf8" })
        .filter((file) => file.endsWith(".ts") && !/\.test\.ts$|under-test|(?:^|\/)testing\//.test(file))
        .map((file) => readFileSync(path.join(room, file), "utf8")),
    );
    const defined = sources.flatMap((source) => [...source.matchAll(/\bdefineTool\(\{|= loopTool\(/g)]).length;
    expect(defined).toBe(shipped.length);
  });

  it.each(byName)("%s: compiles for every provider, and is set aside for none", (_name, definition) => {
    const compiled = compileForAll(publicTool(definition));
    expect(Object.keys(compiled)).toEqual([...DIALECTS]);
    for (const dialect of DIALECTS) {
      const tool = compiled[dialect];
      if (!tool.ok) throw new Error(`${dialect}: ${tool.pointer} ${tool.reason}`);
      expect(tool.name).toBe(definition.name);
      // The SDK sends exactly this object, so the object must survive JSON.
      expect(isDeepStrictEqual(JSON.parse(JSON.stringify(tool.parameters)), tool.parameters)).toBe(true);
      const expected = dialect === "anthropic" || dialect === "openai" || dialect === "cli" ? NO_BOUNDS : BOUND;
      const losses = tool.losses.filter(({ what }) => definition.name !== INVOKE_TOOL || what !== AS_TEXT);
      for (const { what } of losses) expect([dialect, what]).toEqual([dialect, expect.stringMatching(expected)]);
    }
  });

  it.each(MODEL_PROVIDERS)("is checked by the rules of %s, and these by a server of its kind if there is one", async (provider) => {
    // The check uses the rules that the adapter says it keeps. So a new provider or stricter rules must be added here too.
    const { dialect } = await connectModel({ ...noModelSettings, ...NEEDED, provider, model: provider === "offline" ? null : "m" });
    expect(DIALECTS).toContain(dialect);
    expect(dialectRules(dialect) === null).toBe(provider === "offline");
    expect([...SERVED, ...BEHIND_NO_WIRE]).toContain(provider);
  });

  it("is passed on to Anthropic, OpenAI and a command line without any loss but that of the arguments of another tool", () => {
    const losses = shipped.flatMap((definition) => {
      const { anthropic, openai, cli } = compileForAll(publicTool(definition));
      return [anthropic, openai, cli].flatMap((tool) => (tool.ok ? tool.losses.map(({ what }) => [definition.name, what]) : []));
    });
    expect(losses).toEqual(Array(3).fill([INVOKE_TOOL, AS_TEXT]));
  });
});

async function shippedFrom<T>(file: string): Promise<T> {
  return (await import(pathToFileURL(path.join(root, file)).href)) as T;
}
