import { describeProblems, parser, PlanClaims } from "@toolbus/contracts";
import { signJws } from "./jws.ts";
import type { KeySet } from "./key-set.ts";
import type { Signer } from "./keys.ts";
import { type ClaimsVerdict, openClaims } from "./open-claims.ts";

const PLAN_TYPE = "tb-plan+jwt";

/** Signs a proof of what a write would change, with the key of its toolset. Throws a TypeError for invalid claims. */
export async function signPlan(claims: PlanClaims, signer: Signer): Promise<string> {
  const parsed = parsePlanClaims(claims);
  if (!parsed.ok) throw new TypeError(`These claims are not of a plan: ${describeProblems(parsed.problems)}.`);
  return signJws(PLAN_TYPE, parsed.value, signer);
}

export interface PlanInput {
  readonly proof: string;
  /** The keys of this toolset's workers. */
  readonly keys: KeySet;
  readonly expected: Omit<PlanClaims, "at">;
}

export type PlanVerdict = ClaimsVerdict<PlanClaims>;

/** Judges whether a worker of the toolset made exactly this plan for this call. A plan permits nothing, and does not expire. */
export function verifyPlan({ proof, keys, expected }: PlanInput): Promise<PlanVerdict> {
  return openClaims({
    typ: PLAN_TYPE,
    text: proof,
    keys,
    what: "a plan",
    parse: parsePlanClaims,
    mismatch(claims) {
      const wrong = FIELDS.filter((field) => expected[field] !== claims[field]);
      return wrong.length === 0 ? null : `of other ${wrong.join(", ")} than ${expected.callId}`;
    },
  });
}

const FIELDS = [
  "callId",
  "toolset",
  "tool",
  "toolHash",
  "argsHash",
  "planHash",
  "drifted",
] as const satisfies readonly (keyof PlanClaims)[];

const parsePlanClaims = parser(PlanClaims);
