import { checkArguments, type JsonObject } from "@toolbus/contracts";
import { defineTool, type Executor, type Toolset, toolset } from "@toolbus/tool-kit";

export const TOOLSET = "bench";

/** 490 bytes of JSON. */
export const ARGUMENTS = { query: "q".repeat(397), limit: 10, tags: ["one", "two", "three"], options: { deep: true, order: "newest" } };

/** About 2 KB of JSON, the same every time. */
const RESULT = {
  items: Array.from({ length: 16 }, (_, i) => ({ id: `item-${i}`, title: "t".repeat(68), score: i / 16, tags: ["a", "b"] })),
};

const PARAMETERS = {
  type: "object",
  properties: {
    query: { type: "string", minLength: 1, maxLength: 1000 },
    limit: { type: "integer", minimum: 1, maximum: 100, default: 10 },
    tags: { type: "array", items: { type: "string", maxLength: 40 }, maxItems: 16 },
    options: { type: "object", properties: { deep: { type: "boolean" }, order: { type: "string" } }, additionalProperties: false },
  },
  required: ["query"],
  additionalProperties: false,
} as const;

/** A read and a write that do nothing, so that only the way to them is measured. */
export function noopTools(): Toolset {
  return toolset({
    name: TOOLSET,
    tools: [
      defineTool({ name: "look", kind: "read", description: "Gives the same answer every time.", parameters: PARAMETERS, run: act }),
      defineTool({
        name: "change",
        kind: "write",
        description: "Changes nothing and says so.",
        parameters: PARAMETERS,
        // Granted without people, whose time is not measured.
        risk: { tier: "medium" },
        idempotency: { mode: "key", keepsForMs: 86_400_000 },
        effect: "Change nothing for {query}.",
        prepare: (args: JsonObject): JsonObject => args,
        run: act,
      }),
    ],
  });
}

/** What both tools do, and what the bare work calls. */
export function act(): JsonObject {
  return RESULT;
}

/** The call without Toolbus: arguments from their text and checked, the function, its result as text. */
export function bareCall({ definition }: Executor, text: string): string {
  const args: JsonObject = JSON.parse(text);
  if (checkArguments(definition, args).length > 0) throw new Error("the bare call has wrong arguments");
  return JSON.stringify(act());
}

/** The tool of this name. Throws if there is none. */
export function executorOf(tools: Toolset, name: string): Executor {
  const executor = tools.find(name);
  if (!executor) throw new Error(`the benchmark has no tool "${name}"`);
  return executor;
}
