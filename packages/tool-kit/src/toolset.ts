import {
  definitionFault,
  describeProblems,
  isForeign,
  type JsonObject,
  parser,
  preferredVersion,
  quarantineSentence,
  ToolDefinition,
} from "@toolbus/contracts";
import { toolHash } from "@toolbus/grants";
import { firstError, lintTool } from "./lint/lint-tool.ts";
import type { Tool, WriteTool } from "./tool.ts";

/** A tool in its toolset: the whole definition, its hash, and the handlers. */
export interface Executor<T extends Tool = Tool> {
  readonly definition: ToolDefinition;
  readonly hash: string;
  readonly tool: T;
}

export type WriteExecutor = Executor<WriteTool>;

/** The tools of one kind of worker. Its name is part of the topic, of the ledger's keys and of a grant's audience. */
export interface Toolset {
  readonly name: string;
  /** Every version of every tool, by name in the order in which the names were added. */
  list(): readonly Executor[];
  /** The tool of this name and version; without a version the one that `preferredVersion` chooses. */
  find(name: string, version?: string): Executor | undefined;
  /** Adds a tool; refused with a sentence if its name is taken in this version, or its definition cannot work. */
  register(tool: Tool): Executor;
  /** Removes one version, or all of a name. False if there is none. */
  unregister(name: string, version?: string): boolean;
  /** Whether its workers may be scaled to zero. */
  readonly scalesToZero: boolean;
  /** Why its tools cannot be used at this moment, in a sentence; null if they can. */
  unavailable(signal: AbortSignal): Promise<string | null>;
  /** The same for one tool; null if nothing concerning this tool alone prevents its use. */
  unavailableTool(definition: ToolDefinition): string | null;
  /** Arguments with which its tools work at this moment, by name; empty if it knows none. */
  examples(signal: AbortSignal): Promise<Readonly<Record<string, JsonObject>>>;
  /** The longest time-out of any tool that may be registered later. */
  readonly longestTimeoutMs: number;
}

export interface ToolsetOptions {
  readonly name: string;
  /** Several versions of one name are several tools. */
  readonly tools: readonly Tool[];
  /**
   * Says why the tools cannot be used at this moment (a credential is missing, the target is down for long), or returns null. Each worker asks it when it
   * starts and with every heartbeat; while it returns a reason, new runs are not offered the tools. Without it they always can.
   */
  readonly unavailable?: (signal: AbortSignal) => string | null | Promise<string | null>;
  /** Its workers may be scaled to zero: a call waits for one, whatever the profile says about tools without a worker. */
  readonly scalesToZero?: boolean;
  /** The same as `unavailable`, for one tool: for tools that have their own targets. */
  readonly unavailableTool?: (definition: ToolDefinition) => string | null;
  /**
   * Arguments with which its tools work at this moment, by name, such as an id that its target has: people copy them from the list of tools. Each worker
   * asks when it starts and with every heartbeat. Leave out what is not known.
   */
  readonly examples?: (signal: AbortSignal) => Readonly<Record<string, JsonObject>> | Promise<Readonly<Record<string, JsonObject>>>;
  /** If tools are registered later: the longest time-out of any of them. */
  readonly longestTimeoutMs?: number;
}

/** Makes a toolset. Throws a TypeError on a bad name, on two tools of one name and version, and on a definition that cannot work. */
export function toolset({
  name,
  tools,
  unavailable,
  unavailableTool,
  examples,
  scalesToZero = false,
  longestTimeoutMs = 0,
}: ToolsetOptions): Toolset {
  if (!TOOLSET_NAME.test(name))
    throw new TypeError(`"${name.slice(0, 80)}" is not a name of a toolset: use lower-case letters, digits, "-" and "_", 32 at most.`);
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
    scalesToZero,
    unavailable: async (signal) => (unavailable ? unavailable(signal) : null),
    unavailableTool: (definition) => unavailableTool?.(definition) ?? null,
    examples: async (signal) => (examples ? examples(signal) : {}),
    longestTimeoutMs,
  };
  for (const tool of tools) made.register(tool);
  return made;
}

/** The lint is for authors. A foreign tool needs a valid form and schemas that can be judged; if a provider cannot accept it, it is set aside there. */
function foreignError(definition: ToolDefinition): string | null {
  const checked = parseDefinition(definition);
  if (!checked.ok) return `${describeProblems(checked.problems)}.`;
  const fault = definitionFault(definition);
  return fault === null ? null : quarantineSentence(definition, fault);
}

const parseDefinition = parser(ToolDefinition);
const TOOLSET_NAME = /^[a-z][a-z0-9_-]{0,31}$/;
