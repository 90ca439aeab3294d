import { type Static, Type } from "./schema.ts";
import type { JsonObject } from "./json.ts";
import { foreignSchema, isCompiled } from "./foreign-schema/foreign-schema.ts";
import { newSteps } from "./foreign-schema/check.ts";
import type { SchemaFault } from "./foreign-schema/schema-fault.ts";
import type { Problem } from "./parse.ts";

/**
 * The kind of a tool. A read only reads something outside the system. A compute uses only its arguments. A write changes something outside. A tool of
 * unclear kind must be declared as a write.
 */
export type ToolKind = "read" | "compute" | "write";

/**
 * The tier of a write. The policy grants low and medium writes, and audits the medium ones. A high write needs one approver. A critical write needs
 * two approvers and a ticket.
 */
export const TIERS = ["low", "medium", "high", "critical"] as const;
export type Tier = (typeof TIERS)[number];

/**
 * How far the results of a tool can be trusted. Content that strangers can write, such as a web page or an e-mail, is untrusted, because it may
 * contain instructions to the model. After an untrusted result, every write of the run is at least high.
 */
export const TRUST = ["untrusted", "internal", "trusted"] as const;
export type Trust = (typeof TRUST)[number];

const JsonSchema = Type.Unsafe<JsonObject>({ type: "object" });
const closed = { additionalProperties: false } as const;

const RiskRule = Type.Object(
  {
    /** A JSON Schema for the arguments. The rule applies if they satisfy it. */
    when: JsonSchema,
    tier: Type.Enum([...TIERS]),
    reason: Type.String({ minLength: 1, maxLength: 200 }),
  },
  closed,
);

/** The way in which a write handles a repeat. */
const Idempotency = Type.Union([
  Type.Object({ mode: Type.Literal("key"), keepsForMs: Type.Integer({ minimum: 1000 }) }, closed),
  Type.Object({ mode: Type.Literal("reconcile") }, closed),
  Type.Object({ mode: Type.Literal("none") }, closed),
]);

/**
 * The whole definition of a tool, which is registered, pinned and hashed. The model sees only `name`, `description` and `parameters`. A change of any
 * field changes the tool hash, so the tool needs another approval.
 */
export const ToolDefinition = Type.Object(
  {
    name: Type.String({ pattern: "^[a-z][a-z0-9_]{0,63}$" }),
    version: Type.String({ pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,31}$" }),
    description: Type.String({ minLength: 1, maxLength: 4000 }),
    parameters: JsonSchema,
    kind: Type.Enum(["read", "compute", "write"]),
    risk: Type.Object({ tier: Type.Enum([...TIERS]), rules: Type.Optional(Type.Array(RiskRule, { maxItems: 16 })) }, closed),
    idempotency: Idempotency,
    timeoutMs: Type.Integer({ minimum: 1, maximum: 600_000 }),
    /** The text that the approver reads. `{name}` is replaced with an argument. */
    effect: Type.Optional(Type.String({ minLength: 1, maxLength: 500 })),
    /**
     * Present if the tool can plan a write before it is executed. People then approve the plan, and the worker executes the write only if it changes
     * exactly what the plan says.
     */
    plan: Type.Optional(Type.Literal(true)),
    /** The scopes that the requester needs, in addition to those of the route. */
    scopes: Type.Optional(Type.Array(Type.String(), { maxItems: 16 })),
    /** The origin of the tool, which is a toolset or `mcp:<server>`. */
    source: Type.String({ minLength: 1, maxLength: 120 }),
    /** How far the results can be trusted. If absent, a foreign tool is untrusted and every other one is internal (`trustOf`). */
    trust: Type.Optional(Type.Enum([...TRUST])),
    owner: Type.Optional(Type.String({ maxLength: 120 })),
    /** The feature flag that switches the tool per environment. */
    flag: Type.Optional(Type.String({ maxLength: 120 })),
    deprecated: Type.Optional(Type.Object({ note: Type.String({ maxLength: 500 }) }, closed)),
    slo: Type.Optional(Type.Object({ p99Ms: Type.Optional(Type.Integer()), successRate: Type.Optional(Type.Number()) }, closed)),
  },
  closed,
);
export type ToolDefinition = Static<typeof ToolDefinition>;

/**
 * Returns whether somebody outside this system wrote a definition, such as a server whose tools a toolset passes on. Approvals grants such a write
 * only after an operator has confirmed its definition.
 */
export function isForeign({ source }: Pick<ToolDefinition, "source">): boolean {
  return source.startsWith("mcp:");
}

export type Idempotency = Static<typeof Idempotency>;

/**
 * The tier of one call with its reasons, by the definition's own rules. It is the highest tier of the rules that apply, and never below the
 * definition's tier.
 */
export interface RiskAssessment {
  readonly tier: Tier;
  readonly reasons: readonly string[];
}

/**
 * Returns the fault of the first schema that is refused, with a pointer into the definition. Returns null if the definition can be used. A service
 * calls this before it shows, offers, pins or judges a registered definition, because its author may have skipped every check.
 */
export function definitionFault({ parameters, risk }: Pick<ToolDefinition, "parameters" | "risk">): SchemaFault | null {
  const schemas = [
    ["/parameters", parameters] as const,
    ...(risk.rules ?? []).map(({ when }, n) => [`/risk/rules/${n}/when`, when] as const),
  ];
  for (const [place, schema] of schemas) {
    const made = foreignSchema(schema);
    if (!made.ok) return { pointer: `${place}${made.fault.pointer}`, reason: made.fault.reason };
  }
  return null;
}

/** Returns whether each schema of the definition is already compiled or refused, so that `definitionFault` answers at once. */
export function isJudged({ parameters, risk }: Pick<ToolDefinition, "parameters" | "risk">): boolean {
  return [parameters, ...(risk.rules ?? []).map(({ when }) => when)].every(isCompiled);
}

/** Returns the sentence that operators and models read about a quarantined definition. */
export function quarantineSentence({ name, version }: Pick<ToolDefinition, "name" | "version">, { pointer, reason }: SchemaFault): string {
  return `"${name}@${version}" is quarantined: its definition is refused at ${pointer}. ${reason}`;
}

/** Returns the faults of the arguments. Applies the schema's defaults in place. If the tool's schema is refused, no arguments are valid. */
export function checkArguments(definition: ToolDefinition, args: JsonObject): readonly Problem[] {
  const schema = foreignSchema(definition.parameters);
  if (schema.ok) return schema.validate(args);
  const { pointer, reason } = schema.fault;
  return [{ path: "", message: `cannot be checked: the tool's own schema is refused at /parameters${pointer}. ${reason}` }];
}

/** The number of distinct approvers that each tier needs. */
export const APPROVERS_NEEDED: Readonly<Record<Tier, number>> = { low: 0, medium: 0, high: 1, critical: 2 };

/** Returns two scopes. Each of them lets an approver decide a write of this tier. */
export function approverScopes(tier: Tier): readonly [string, string] {
  return [`approve:${tier}`, "approve:*"];
}

/** Returns true if `a` is at least as risky as `b`. */
export const atLeast = (a: Tier, b: Tier): boolean => TIERS.indexOf(a) >= TIERS.indexOf(b);

/**
 * Returns the tier of one call. It tries every rule, and the highest tier wins. No rule lowers the definition's own tier. A rule also applies if its
 * schema is refused or if its check takes too long.
 */
export function assessRisk(definition: ToolDefinition, args: JsonObject): RiskAssessment {
  let tier: Tier = definition.risk.tier;
  const reasons: string[] = [];
  // All rules together share the step limit of one check.
  const steps = newSteps();
  for (const rule of definition.risk.rules ?? []) {
    const when = foreignSchema(rule.when);
    // The check applies defaults in place. Each check gets a copy, so that it cannot change the arguments that are executed.
    if (when.ok && when.judge(structuredClone(args), steps) === "breaks") continue;
    reasons.push(rule.reason);
    if (atLeast(rule.tier, tier)) tier = rule.tier;
  }
  return { tier, reasons };
}

/**
 * Returns the sentence that an approver reads. It is the effect template with the arguments filled in. Each argument is truncated to fit on a card.
 */
export function renderEffect(definition: ToolDefinition, args: JsonObject): string {
  const template = definition.effect ?? `Runs the tool "${definition.name}".`;
  return template.replace(/\{([A-Za-z0-9_]+)\}/g, (whole, name: string) => {
    // Only own members are filled in, so "{constructor}" in a template remains text.
    const value = Object.hasOwn(args, name) ? args[name] : undefined;
    if (value === undefined) return whole;
    const text = Array.isArray(value)
      ? `${value.length} ${value.length === 1 ? "item" : "items"}`
      : typeof value === "string"
        ? value
        : JSON.stringify(value);
    return visible(text.length > 200 ? `${text.slice(0, 200)}…` : text);
  });
}

/**
 * Escapes characters that are invisible or change how other characters look, so that an approver reads exactly what will be done. These characters
 * are controls except tab and line feed, bidirectional and zero-width characters, tags, variation selectors and lone surrogates.
 */
export function visible(text: string): string {
  return text.replace(UNSEEN, (character) => {
    const code = (character.codePointAt(0) ?? 0).toString(16);
    return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, "0")}`;
  });
}

const UNSEEN = /(?![\t\n])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;
