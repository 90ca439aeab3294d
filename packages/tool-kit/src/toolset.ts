import type { ToolDefinition } from "@toolbus/contracts";
import { toolHash } from "@toolbus/grants";
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
  list(): readonly Executor[];
  find(name: string): Executor | undefined;
  /** Adds a tool; refused with a sentence when the name is taken. */
  register(tool: Tool): Executor;
  /** False when there is none of that name. */
  unregister(name: string): boolean;
}

/** Makes a toolset. Throws a TypeError on a bad name or on two tools of one name. */
export function toolset(options: { readonly name: string; readonly tools: readonly Tool[] }): Toolset {
  const { name } = options;
  if (!TOOLSET_NAME.test(name))
    throw new TypeError(`"${name.slice(0, 80)}" is no name of a toolset: use lower-case letters, digits, "-" and "_", 32 at most.`);
  const executors = new Map<string, Executor>();
  const made: Toolset = {
    name,
    list: () => [...executors.values()],
    find: (tool) => executors.get(tool),
    register(tool) {
      if (executors.has(tool.draft.name))
        throw new TypeError(`The toolset "${name}" has a tool "${tool.draft.name}" already; give one of them another name.`);
      const definition: ToolDefinition = { ...tool.draft, source: tool.draft.source ?? name };
      const executor: Executor = { definition, hash: toolHash(definition), tool };
      executors.set(definition.name, executor);
      return executor;
    },
    unregister: (tool) => executors.delete(tool),
  };
  for (const tool of options.tools) made.register(tool);
  return made;
}

const TOOLSET_NAME = /^[a-z][a-z0-9_-]{0,31}$/;
