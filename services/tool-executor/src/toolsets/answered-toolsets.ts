import { type Json, type JsonObject, isJsonObject } from "@toolbus/contracts";
import {
  defineTool,
  type DraftDefinition,
  type ReadSpec,
  type Tool,
  toolError,
  type ToolOutput,
  type Toolset,
  toolset,
  type WriteSpec,
} from "@toolbus/tool-kit";
import { shippedToolset } from "./shipped-tools.ts";

/** One call that is answered in place of its target. */
export interface AnsweredCall {
  readonly tool: string;
  /** The id of the call. It begins with the id of its run. */
  readonly callId: string;
  readonly arguments: JsonObject;
  readonly signal: AbortSignal;
}

export type Answer =
  | { readonly kind: "result"; readonly result: Json }
  | { readonly kind: "error"; readonly code: string; readonly message: string };

export interface AnsweredToolsets {
  /** The names of toolsets that ship. Their tools keep their definitions. */
  readonly shipped: readonly string[];
  /** Definitions of further tools, with the fields of `defineTool`. One of them replaces a shipped tool of the same name. */
  readonly definitions: readonly JsonObject[];
  /** Texts that replace the descriptions of tools, by name. */
  readonly descriptions: Readonly<Record<string, string>>;
  readonly answer: (call: AnsweredCall) => Promise<Answer>;
}

/** The toolset of the tools that do not ship. */
const OWN = "suite";

/**
 * Returns toolsets whose tools have real definitions, but no targets: `answer` answers each call. So policies, approvals, grants and the ledger see the
 * same tools as in production, and no call reaches a system outside. Throws a TypeError with one sentence for a definition that cannot work.
 */
export function answeredToolsets({ shipped, definitions, descriptions, answer }: AnsweredToolsets): readonly Toolset[] {
  const own = definitions.map(toolOf);
  const replaced = new Set(own.map(({ draft }) => draft.name));
  const answered = (tool: Tool): Tool => withDescription(answeredTool(tool, answer), descriptions);
  const made = shipped.map((name) => {
    const { guide, tools } = shippedParts(name);
    return toolset({
      name,
      tools: tools.filter(({ draft }) => !replaced.has(draft.name)).map(answered),
      ...(guide === undefined ? {} : { guide }),
    });
  });
  return own.length === 0 ? made : [...made, toolset({ name: OWN, tools: own.map(answered) })];
}

function shippedParts(name: string): { readonly guide: string | undefined; readonly tools: readonly Tool[] } {
  const made = shippedToolset(name);
  if (made === null) throw new TypeError(`There is no toolset "${name}" in this build.`);
  return { guide: made.guide?.markdown, tools: made.list().map(({ tool }) => tool) };
}

/**
 * Returns the tool with other handlers. The rule for its resource is left out: the order of writes to a target is of no use without a target, and
 * trials would wait for one another.
 */
function answeredTool({ draft }: Tool, answer: AnsweredToolsets["answer"]): Tool {
  const { name: tool, kind } = draft;
  if (kind !== "write") {
    return { kind, draft, run: async (args, { callId, signal }) => outputOf(await answer({ tool, callId, arguments: args, signal })) };
  }
  return {
    kind,
    draft: withoutPlan(draft),
    prepare: (args) => args,
    run: async (prepared, { idempotencyKey: callId, signal }) =>
      outputOf(await answer({ tool, callId, arguments: isJsonObject(prepared) ? prepared : {}, signal })),
    ...(draft.idempotency.mode === "reconcile" ? { reconcile: () => ({ kind: "unknown" as const }) } : {}),
  };
}

/** A plan compares the target before and after, and there is no target. */
function withoutPlan({ plan: _, ...draft }: DraftDefinition): DraftDefinition {
  return draft;
}

/** An error of an answer says that nothing happened, and never counts against the breaker of a dependency, because no dependency was called. */
function outputOf(answered: Answer): ToolOutput {
  if (answered.kind === "result") return answered.result;
  const nothingHappened = { effect: "none", dependency: null } as const;
  try {
    return toolError(answered.code, answered.message, nothingHappened);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return toolError("execution_failed", `The recorded answer cannot be given. ${error.message}`, nothingHappened);
  }
}

function withDescription(tool: Tool, descriptions: AnsweredToolsets["descriptions"]): Tool {
  const { name } = tool.draft;
  const description = Object.hasOwn(descriptions, name) ? descriptions[name] : undefined;
  return description === undefined ? tool : { ...tool, draft: { ...tool.draft, description } };
}

/** Returns the tool that a definition describes. Its handlers are replaced afterwards. */
function toolOf(definition: JsonObject): Tool {
  // `defineTool` checks the whole definition, and its TypeError says what is missing.
  const spec = { kind: "read", ...definition, run: () => null } as unknown as ReadSpec<JsonObject> | WriteSpec<JsonObject, Json>;
  if (spec.kind !== "write") return defineTool(spec);
  const answered = { ...spec, prepare: <A>(args: A): A => args, ...(spec.idempotency?.mode === "reconcile" ? { reconcile: UNKNOWN } : {}) };
  return defineTool(answered);
}

const UNKNOWN = (): { readonly kind: "unknown" } => ({ kind: "unknown" });
