import { type Static, Type } from "./schema.ts";
import type { Json, JsonObject } from "./json.ts";
import { describeProblems, parser, type Problem } from "./parse.ts";
import { isForeign, type ToolDefinition } from "./tool-definition.ts";

const closed = { additionalProperties: false } as const;

/** The largest arguments that any call may have, in bytes of JSON text. */
export const MAX_ARGUMENT_BYTES = 65_536;
/** The largest arguments of a tool that declares no limit. It is above what an agent sends, which is 30 KiB for all calls of a turn together. */
export const DEFAULT_ARGUMENT_BYTES = 49_152;

/** A system on which a tool acts. Tools that share a system declare the same name, and so share its breaker and its limit of concurrent calls. */
export const Dependency = Type.Object(
  {
    name: Type.String({ pattern: "^[a-z][a-z0-9._-]{0,63}$" }),
    /** The latency budget: 99 of 100 calls should take at most this long. */
    p99Ms: Type.Optional(Type.Integer({ minimum: 1, maximum: 600_000 })),
    /** How many calls of one worker process may act on the system at the same time. */
    concurrent: Type.Optional(Type.Integer({ minimum: 1, maximum: 1024 })),
  },
  closed,
);
export type Dependency = Static<typeof Dependency>;

/** The limits of the calls of one tool. */
export const ToolLimits = Type.Object(
  {
    /** The largest arguments, in bytes of JSON text. */
    argumentBytes: Type.Optional(Type.Integer({ minimum: 2, maximum: MAX_ARGUMENT_BYTES })),
    /** How many calls of the tool one worker process begins in a minute. */
    callsPerMinute: Type.Optional(Type.Integer({ minimum: 1, maximum: 100_000 })),
  },
  closed,
);
export type ToolLimits = Static<typeof ToolLimits>;

/** What protects the systems behind a tool. */
export const ToolProtection = Type.Object(
  { dependencies: Type.Optional(Type.Array(Dependency, { maxItems: 8 })), limits: Type.Optional(ToolLimits) },
  closed,
);
export type ToolProtection = Static<typeof ToolProtection>;

/**
 * The member of `parameters` that contains the protection of a tool. Every version of Toolbus accepts members that begin with `x-`, hashes them with the
 * definition and hides them from models. A new field of the definition would make the tool disappear from services of the earlier version.
 */
export const PROTECTION_MEMBER = "x-toolbus";

/** Returns the parameters with a protection. Without one, the parameters and so the hash of the definition stay as they are. */
export function withProtection(parameters: JsonObject, { dependencies, limits }: ToolProtection): JsonObject {
  if (dependencies === undefined && limits === undefined) return parameters;
  const declared = { ...(dependencies === undefined ? {} : { dependencies }), ...(limits === undefined ? {} : { limits }) };
  return { ...parameters, [PROTECTION_MEMBER]: structuredClone(declared) as Json };
}

/** Returns what is wrong with the protection that a definition declares, or null. */
export function protectionFault({ parameters }: Pick<ToolDefinition, "parameters">): string | null {
  const declared = parameters[PROTECTION_MEMBER];
  if (declared === undefined) return null;
  const parsed = parseProtection(declared);
  if (!parsed.ok) return describeProblems(parsed.problems);
  const names = (parsed.value.dependencies ?? []).map(({ name }) => name);
  return new Set(names).size === names.length ? null : "a dependency is named twice";
}

/**
 * Returns the protection of a tool. The tools of an MCP server depend on this server, whatever its definitions say, because a stranger wrote them. A
 * declaration that cannot be read counts as none.
 */
export function protectionOf(definition: Pick<ToolDefinition, "parameters" | "source">): ToolProtection {
  const known = read.get(definition);
  if (known) return known;
  const protection = isForeign(definition) ? { dependencies: [{ name: definition.source }] } : declaredBy(definition);
  read.set(definition, protection);
  return protection;
}

/** Returns the fault of arguments that are larger than the limit, or null. `text` is their JSON text. */
export function argumentsTooLarge(text: string, limit: number): Problem | null {
  const bytes = Buffer.byteLength(text);
  return bytes <= limit ? null : { path: "", message: `have ${bytes} bytes, and at most ${limit} are allowed` };
}

const parseProtection = parser(ToolProtection);
const read = new WeakMap<object, ToolProtection>();

function declaredBy(definition: Pick<ToolDefinition, "parameters">): ToolProtection {
  if (definition.parameters[PROTECTION_MEMBER] === undefined || protectionFault(definition) !== null) return {};
  const parsed = parseProtection(definition.parameters[PROTECTION_MEMBER]);
  return parsed.ok ? parsed.value : {};
}
