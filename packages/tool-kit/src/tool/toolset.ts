import {
  definitionFault,
  describeProblems,
  isForeign,
  isToolsetName,
  type JsonObject,
  parser,
  preferredVersion,
  quarantineSentence,
  ToolDefinition,
  TOOLSET_NAME_RULE,
} from "@toolbus/contracts";
import { toolHash } from "@toolbus/grants";
import { firstError, lintTool } from "../lint/lint-tool.ts";
import { unknownField } from "../unknown-field.ts";
import type { Tool, WriteTool } from "./tool.ts";
import { type ToolsetGuide, toolsetGuide } from "./toolset-guide.ts";

/** A tool in its toolset, with the whole definition, its hash and the handlers. */
export interface Executor<T extends Tool = Tool> {
  readonly definition: ToolDefinition;
  readonly hash: string;
  readonly tool: T;
}

export type WriteExecutor = Executor<WriteTool>;

/** The tools of one kind of worker. The toolset's name is part of the topic, of the ledger's keys and of a grant's audience. */
export interface Toolset {
  readonly name: string;
  /** Returns every version of every tool. The tools are grouped by name, in the order in which the names were added. */
  list(): readonly Executor[];
  /** Returns the tool with this name and version. Without a version, it returns the one that `preferredVersion` chooses. */
  find(name: string, version?: string): Executor | undefined;
  /** Adds a tool. Throws a TypeError with one sentence if the toolset already has this version of it, or if its definition cannot work. */
  register(tool: Tool): Executor;
  /** Removes one version of a name, or all of them. Returns false if there is none. */
  unregister(name: string, version?: string): boolean;
  /** The guide that the workers publish with the tools, or null. */
  readonly guide: ToolsetGuide | null;
  /** Whether the toolset's workers may be scaled to zero. */
  readonly scalesToZero: boolean;
  /** Returns a sentence that says why the tools cannot be used now, or null if they can. */
  unavailable(signal: AbortSignal): Promise<string | null>;
  /** Whether the toolset checks its target by itself (`unavailable`). */
  readonly hasCheck: boolean;
  /** Returns a sentence that says why this tool alone cannot be used now, or null if it can. */
  unavailableTool(definition: ToolDefinition): string | null;
  /** Returns arguments with which the tools work now, by the name of the tool. The result is empty if the toolset knows none. */
  examples(signal: AbortSignal): Promise<Readonly<Record<string, JsonObject>>>;
  /** The longest time-out of any tool that may be registered later. */
  readonly longestTimeoutMs: number;
}

export interface ToolsetOptions {
  readonly name: string;
  /** The tools. Several versions of one name are several tools. */
  readonly tools: readonly Tool[];
  /**
   * A Markdown document that says how to use the tools together. It begins with a heading, an empty line and a summary in one line. Agents read it
   * with the toolset `guides`. It may have up to 32 KiB. Because it is the text of a deployed worker, its readers trust it like a result of its tools.
   */
  readonly guide?: string;
  /**
   * Returns why the tools cannot be used now (a credential is missing, the target is down for long), or null. Each worker calls this function when it
   * starts and with every heartbeat. While the function returns a reason, new runs are not offered the tools. Without this function, the tools can
   * always be used.
   */
  readonly unavailable?: (signal: AbortSignal) => string | null | Promise<string | null>;
  /** True if the workers may be scaled to zero. Then a call waits for a worker, whatever the profile says about tools without a worker. */
  readonly scalesToZero?: boolean;
  /** Does the same as `unavailable` for one tool. It is for tools that have their own targets. */
  readonly unavailableTool?: (definition: ToolDefinition) => string | null;
  /**
   * Returns arguments with which the tools work now, by the name of the tool, such as an id that exists in the target. People copy them from the list
   * of tools, and a worker with golden calls calls the tools with them before it takes calls. Each worker calls this function when it starts and with
   * every heartbeat. Leave out a tool whose arguments are not known.
   */
  readonly examples?: (signal: AbortSignal) => Readonly<Record<string, JsonObject>> | Promise<Readonly<Record<string, JsonObject>>>;
  /** The longest time-out of any tool that is registered later. */
  readonly longestTimeoutMs?: number;
}

/**
 * Creates a toolset. Throws a TypeError for a bad name, two tools with the same name and version, a definition that cannot work, or a guide of
 * another form.
 */
export function toolset(options: ToolsetOptions): Toolset {
  const { name, tools, guide, unavailable, unavailableTool, examples, scalesToZero = false, longestTimeoutMs = 0 } = options;
  if (!isToolsetName(name)) throw new TypeError(`"${name.slice(0, 80)}" is not a name of a toolset: ${TOOLSET_NAME_RULE}.`);
  refuseUnlessOptionsFit(options);
  const byName = new Map<string, Map<string, Executor>>();
  const made: Toolset = {
    name,
    list: () => [...byName.values()].flatMap((versions) => [...versions.values()]),
    find(tool, version) {
      const versions = byName.get(tool);
      if (!versions || version !== undefined) return versions?.get(version ?? "");
      return preferredVersion([...versions.values()], ({ definition }) => definition);
    },
    register(tool) {
      // An author in JavaScript may pass what belongs into `defineTool`.
      if (typeof (tool as Partial<Tool> | null)?.draft !== "object")
        throw new TypeError(`A tool of the toolset "${name}" ${named(tool)}was not made by defineTool: make it with defineTool({ … }).`);
      const { name: toolName, version } = tool.draft;
      const versions = byName.get(toolName) ?? new Map<string, Executor>();
      if (versions.has(version))
        throw new TypeError(
          `The toolset "${name}" already has a tool "${toolName}" of version ${version}; give one of them another version.`,
        );
      const definition: ToolDefinition = { ...tool.draft, source: tool.draft.source ?? name };
      const error = isForeign(definition) ? foreignError(definition) : firstError(lintTool(definition));
      if (error) throw new TypeError(`The tool "${toolName}" has an invalid definition: ${error}`);
      const executor: Executor = { definition, hash: toolHash(definition), tool };
      versions.set(version, executor);
      byName.set(toolName, versions);
      return executor;
    },
    unregister(tool, version) {
      if (version === undefined) return byName.delete(tool);
      const versions = byName.get(tool);
      const gone = versions?.delete(version) ?? false;
      if (versions?.size === 0) byName.delete(tool);
      return gone;
    },
    guide: guide === undefined ? null : toolsetGuide(name, guide),
    scalesToZero,
    unavailable: async (signal) => (unavailable ? unavailable(signal) : null),
    hasCheck: unavailable !== undefined,
    unavailableTool: (definition) => unavailableTool?.(definition) ?? null,
    examples: async (signal) => (examples ? examples(signal) : {}),
    longestTimeoutMs,
  };
  for (const tool of tools) made.register(tool);
  return made;
}

/** Refuses options that would be ignored without a word. The compiler refuses them too, but not for an author in JavaScript. */
function refuseUnlessOptionsFit(options: ToolsetOptions): void {
  const refuse = (why: string): TypeError => new TypeError(`The toolset "${options.name}" ${why}`);
  const unknown = unknownField(options, OPTIONS);
  if (unknown !== null) throw refuse(unknown);
  if (!Array.isArray(options.tools)) throw refuse('needs a list "tools", such as tools: [lookUpOrder].');
  for (const [field, shape] of Object.entries(FUNCTIONS) as [keyof typeof FUNCTIONS, string][]) {
    const given = options[field];
    if (given !== undefined && typeof given !== "function") throw refuse(`needs a function as "${field}", such as ${shape}.`);
  }
}

const FUNCTIONS = {
  unavailable: "() => null",
  unavailableTool: "(definition) => null",
  examples: '() => ({ look_up_order: { order: "ORD-1" } })',
} as const;

const OPTIONS = Object.keys({
  name: true,
  tools: true,
  guide: true,
  unavailable: true,
  scalesToZero: true,
  unavailableTool: true,
  examples: true,
  longestTimeoutMs: true,
} satisfies Record<keyof ToolsetOptions, true>);

/** Returns the name of what is not a tool, for a sentence. */
function named(thing: unknown): string {
  const { name } = (thing ?? {}) as { readonly name?: unknown };
  return typeof name === "string" ? `(${JSON.stringify(name.slice(0, 80))}) ` : "";
}

/**
 * Returns the fault of a foreign tool, or null. The lint does not apply to it, because the lint is for authors. A foreign tool needs a valid form and
 * schemas that can be judged. If a provider cannot accept the tool, it is set aside for that provider.
 */
function foreignError(definition: ToolDefinition): string | null {
  const checked = parseDefinition(definition);
  if (!checked.ok) return `${describeProblems(checked.problems)}.`;
  const fault = definitionFault(definition);
  return fault === null ? null : quarantineSentence(definition, fault);
}

const parseDefinition = parser(ToolDefinition);
