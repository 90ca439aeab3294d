import {
  type Dependency,
  describeProblems,
  type Idempotency,
  isJsonObject,
  type Json,
  type JsonObject,
  parser,
  PROTECTION_MEMBER,
  protectionFault,
  ToolDefinition,
  type ToolKind,
  type ToolLimits,
  withProtection,
} from "@toolbus/contracts";
import { translateSchema } from "../lint/draft-07.ts";
import { firstError, lintTool } from "../lint/lint-tool.ts";
import { specFault } from "./spec-fault.ts";
import type { DraftDefinition, ReadHandlers, ReadTool, Tool, WriteHandlers, WriteTool } from "./tool.ts";

/**
 * The fields that every tool may have. The default of `version` is "1". The default of `timeoutMs` is 5 s for a read, 2 s for a compute and 30 s for
 * a write.
 */
interface Description {
  readonly name: string;
  readonly version?: string;
  /** States the purpose, the limits with an example, the output, and what the tool is not for. */
  readonly description: string;
  /** The JSON Schema of an object, in 2020-12 or draft-07. `lintTool` reports keywords that are not accepted. */
  readonly parameters: object;
  /** The default tier is low for a read or compute and high for a write. */
  readonly risk?: ToolDefinition["risk"];
  readonly timeoutMs?: number;
  readonly scopes?: readonly string[];
  /** The default is the name of the toolset. */
  readonly source?: string;
  /** How far the results can be trusted. Declare `untrusted` if strangers can write what the tool returns. The default is `internal`. */
  readonly trust?: ToolDefinition["trust"];
  /** The team that answers for the tool. */
  readonly owner?: string;
  /** The feature flag that can switch the tool off in an environment. */
  readonly flag?: string;
  /** Marks a tool that exists only for runs that began with it. `note` says what to use instead and what differs. */
  readonly deprecated?: ToolDefinition["deprecated"];
  /** What the tool promises: the latency that 99 of 100 calls keep, and the share of calls that succeed. */
  readonly slo?: ToolDefinition["slo"];
  /**
   * A sentence that says why a worker must not call this tool with the arguments from the toolset's `examples` before it takes calls, for example
   * because the tool answers only within a run, or because each call costs money.
   */
  readonly noGoldenCall?: string;
  /** The systems on which the tool acts. Tools that share a system pass the same value. */
  readonly dependencies?: readonly Dependency[];
  readonly limits?: ToolLimits;
}

export interface ReadSpec<Args extends JsonObject> extends Description, ReadHandlers<Args> {
  readonly kind: "read" | "compute";
}

export interface WriteSpec<Args extends JsonObject, Prepared extends Json> extends Description, WriteHandlers<Args, Prepared> {
  readonly kind: "write";
  readonly idempotency: Idempotency;
  /** The sentence that the approver reads. `{name}` is replaced with the argument of this name. */
  readonly effect: string;
}

/**
 * Defines a tool. A read or compute has `run(args, context)`. A write has `prepare(args, context)` and `run(prepared, context)`, and states what may be
 * done if its outcome is unknown. Throws a TypeError with one sentence if the definition cannot work.
 */
export function defineTool<Args extends JsonObject>(spec: ReadSpec<Args>): ReadTool;
export function defineTool<Args extends JsonObject, Prepared extends Json>(spec: WriteSpec<Args, Prepared>): WriteTool;
export function defineTool(spec: ReadSpec<JsonObject> | WriteSpec<JsonObject, Json>): Tool {
  const fault = specFault(spec, FIELDS);
  if (fault !== null) throw new TypeError(fault);
  refuseUnlessHandlersFit(spec);
  const draft = draftOf(spec);
  const checked = parseDefinition({ ...draft, source: draft.source ?? "toolset" });
  if (!checked.ok) throw new TypeError(`The tool "${spec.name}" has an invalid definition: ${describeProblems(checked.problems)}.`);
  const unprotected = protectionFault(draft);
  if (unprotected !== null) throw new TypeError(`The tool "${spec.name}" has invalid dependencies or limits: ${unprotected}.`);
  const error = firstError(lintTool(draft));
  if (error !== null) throw new TypeError(`The tool "${spec.name}" has an invalid definition: ${error}`);
  const golden = spec.noGoldenCall === undefined ? {} : { noGoldenCall: spec.noGoldenCall };
  if (spec.kind !== "write") return { kind: spec.kind, draft, run: (args, context) => spec.run(args, context), ...golden };
  const reconcile = spec.reconcile?.bind(spec);
  const resource = spec.resource?.bind(spec);
  const plan = spec.plan?.bind(spec);
  return {
    kind: "write",
    draft,
    prepare: (args, context) => spec.prepare(args, context),
    run: (prepared, context) => spec.run(prepared, context),
    ...(reconcile === undefined ? {} : { reconcile }),
    ...(resource === undefined ? {} : { resource }),
    ...(plan === undefined ? {} : { plan }),
    ...golden,
  };
}

const parseDefinition = parser(ToolDefinition);
const DEFAULT_TIMEOUT_MS: Readonly<Record<ToolKind, number>> = { read: 5000, write: 30_000, compute: 2000 };

function draftOf(spec: ReadSpec<JsonObject> | WriteSpec<JsonObject, Json>): DraftDefinition {
  const { name, description, kind, source, trust, owner, flag, deprecated, slo } = spec;
  return {
    name,
    version: spec.version ?? "1",
    description,
    parameters: parametersOf(spec),
    kind,
    risk: structuredClone(spec.risk) ?? { tier: kind === "write" ? "high" : "low" },
    idempotency: kind === "write" ? structuredClone(spec.idempotency) : { mode: "none" },
    timeoutMs: spec.timeoutMs ?? DEFAULT_TIMEOUT_MS[kind],
    ...(kind === "write" ? { effect: spec.effect } : {}),
    ...(spec.kind === "write" && spec.plan !== undefined ? { plan: true } : {}),
    ...(spec.scopes === undefined ? {} : { scopes: [...spec.scopes] }),
    ...(source === undefined ? {} : { source }),
    ...(trust === undefined ? {} : { trust }),
    ...(owner === undefined ? {} : { owner }),
    ...(flag === undefined ? {} : { flag }),
    ...(deprecated === undefined ? {} : { deprecated }),
    ...(slo === undefined ? {} : { slo }),
  };
}

/** Returns a copy of the parameters in our dialect. Otherwise a definition that was hashed and pinned could change with the caller's object. */
function parametersOf({ name, parameters, dependencies, limits }: Description): JsonObject {
  const copy: Json = JSON.parse(JSON.stringify(parameters ?? null));
  if (isJsonObject(copy) && PROTECTION_MEMBER in copy)
    throw new TypeError(
      `The parameters of the tool "${name}" have a member "${PROTECTION_MEMBER}": pass "dependencies" and "limits" instead.`,
    );
  if (isJsonObject(copy))
    return withProtection(translateSchema(copy), {
      ...(dependencies === undefined ? {} : { dependencies: [...dependencies] }),
      ...(limits === undefined ? {} : { limits }),
    });
  throw new TypeError(`The parameters of the tool "${name}" must be a JSON Schema with "type": "object".`);
}

/** The compiler keeps this list complete. */
const FIELDS = Object.keys({
  name: true,
  version: true,
  description: true,
  parameters: true,
  kind: true,
  risk: true,
  timeoutMs: true,
  scopes: true,
  source: true,
  trust: true,
  owner: true,
  flag: true,
  deprecated: true,
  slo: true,
  noGoldenCall: true,
  dependencies: true,
  limits: true,
  idempotency: true,
  effect: true,
  prepare: true,
  run: true,
  plan: true,
  resource: true,
  reconcile: true,
} satisfies Record<keyof WriteSpec<JsonObject, Json>, true>);

function refuseUnlessHandlersFit(spec: ReadSpec<JsonObject> | WriteSpec<JsonObject, Json>): void {
  const { name, kind } = spec;
  if (typeof spec.run !== "function") throw new TypeError(`The tool "${name}" needs a function "run".`);
  if (kind !== "write") {
    for (const word of ["prepare", "reconcile", "resource", "plan", "idempotency"])
      if (word in spec) throw new TypeError(`The tool "${name}" is a ${kind} and has a "${word}"; only a write has one.`);
    return;
  }
  if (typeof spec.prepare !== "function")
    throw new TypeError(`The write "${name}" needs a function "prepare" that works out what will be sent.`);
  const { mode } = spec.idempotency;
  if (mode === "reconcile" && spec.reconcile === undefined)
    throw new TypeError(`The write "${name}" has idempotency "reconcile" and needs a function "reconcile".`);
  if (mode !== "reconcile" && spec.reconcile !== undefined)
    throw new TypeError(`The write "${name}" has a function "reconcile", so its idempotency must be "reconcile", not "${mode}".`);
}
