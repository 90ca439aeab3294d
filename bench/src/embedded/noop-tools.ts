import { checkArguments, type JsonObject } from "@toolbus/contracts";
import { defineTool, type Executor, type Toolset, toolset } from "@toolbus/tool-kit";

export const TOOLSET = "bench";

/** 490 bytes of JSON. */
export const ARGUMENTS = { query: "q".repeat(397), limit: 10, tags: ["one", "two", "three"], options: { deep: true, order: "newest" } };

/** About 2 KB of JSON, the same for every call. */
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

/** Makes a read tool and a write tool that do nothing, so that the benchmark measures no work of the tools themselves. */
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
        // Policy grants a write of this tier without people. The time that people take must not be measured.
        risk: { tier: "medium" },
        idempotency: { mode: "key", keepsForMs: 86_400_000 },
        effect: "Change nothing for {query}.",
        prepare: (args: JsonObject): JsonObject => args,
        run: act,
      }),
    ],
  });
}

/** Does the work of both tools. The bare work calls it directly. */
export function act(): JsonObject {
  return RESULT;
}

/** Makes the call without Toolbus: parses and checks the arguments, calls the function, and returns the result as text. */
export function bareCall({ definition }: Executor, text: string): string {
  const args: JsonObject = JSON.parse(text);
  if (checkArguments(definition, args).length > 0) throw new Error("the bare call has wrong arguments");
  return JSON.stringify(act());
}

/** Returns the tool with this name. Throws if the toolset has no such tool. */
export function executorOf(tools: Toolset, name: string): Executor {
  const executor = tools.find(name);
  if (!executor) throw new Error(`the benchmark has no tool "${name}"`);
  return executor;
}
