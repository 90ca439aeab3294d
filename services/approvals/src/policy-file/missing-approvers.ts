import { APPROVERS_NEEDED, approverScopes, atLeast, counted, type PolicyNeeds, type Tier, TIERS } from "@toolbus/contracts";
import type { Principal } from "@toolbus/runtime";
import type { Log } from "@toolbus/telemetry";
import { type Approver, notAmongApprovers } from "../policy/check-approver.ts";
import { mergeNeeds } from "../policy/merge-needs.ts";
import type { Policy } from "../policy/policy.ts";
import { groupsFilled } from "../policy/quorum.ts";

/** A demand of the policy that the present keys cannot meet. `where` is a tier or the name of a rule. */
export interface MissingApprovers {
  readonly where: string;
  readonly need: number;
  /** The number of people whose keys may approve such a write. */
  readonly have: number;
}

interface Demand {
  readonly where: string;
  readonly needs: PolicyNeeds;
  /** The tiers of the writes for which this is demanded. */
  readonly within: readonly Tier[];
  readonly tenants: readonly string[] | undefined;
}

/**
 * Returns the tiers and rules of the policy whose writes nobody could ever approve, because too few of these people may. People decide only in their
 * own tenant, so a demand counts as met if the people of one tenant meet it. A person cannot approve what the person asked for, so a demand that is
 * met here may still be open for a run.
 */
export function missingApprovers({ content }: Policy, people: readonly Principal[]): readonly MissingApprovers[] {
  const { tiers = {}, rules = [] } = content;
  const demands: readonly Demand[] = [
    ...TIERS.flatMap((tier) => (tiers[tier] ? [{ where: tier, needs: tiers[tier], within: [tier], tenants: undefined }] : [])),
    ...rules.map(({ name, needs = {}, tier, tiers: only, tenants }) => ({
      where: name,
      needs,
      within: only ?? TIERS.filter((one) => tier === undefined || atLeast(one, tier)),
      tenants,
    })),
  ];
  return demands.flatMap(({ where, needs, within, tenants }) => {
    const [lowest] = TIERS.filter((tier) => within.includes(tier));
    const { approvers, from, groups } = mergeNeeds(needs, [], content);
    const need = Math.max(approvers, APPROVERS_NEEDED[lowest ?? "low"]);
    const able = people.filter(
      (person) =>
        person.roles.includes("approver") &&
        within.some((tier) => approverScopes(tier).some((scope) => person.scopes.includes(scope))) &&
        (tenants === undefined || tenants.includes(person.tenant)) &&
        notAmongApprovers(person, { policy: { version: "", rules: [], from: from.map((list) => [...list]) } }) === null,
    );
    const teams = [...Map.groupBy(able, ({ tenant }) => tenant).values()];
    if (teams.some((team) => distinct(team) >= need && groupsFilled(voters(team), groups))) return [];
    return need === 0 ? [] : [{ where, need, have: Math.max(0, ...teams.map(distinct)) }];
  });
}

const distinct = (people: readonly Approver[]): number => new Set(people.map(({ id }) => id)).size;
const voters = (people: readonly Approver[]) => people.map(({ id, groups = [] }) => ({ approver: id, groups }));

/**
 * Returns the check for warnings. It looks at the keys and the policy of the moment, writes a change of what is missing to the log, and returns a
 * sentence that strangers may read, so it has no names.
 */
export function warnOfMissingApprovers(options: {
  readonly policy: () => Policy;
  /** The people whose keys approvals knows. */
  readonly people: () => readonly Principal[];
  readonly log: Log;
}): () => readonly string[] {
  const { policy, people, log } = options;
  let said = "";
  return () => {
    const { version } = policy();
    const missing = missingApprovers(policy(), people());
    const now = JSON.stringify(missing);
    if (missing.length > 0 && now !== said) {
      log.warn({ missing, policy: version }, "the policy demands more approvers than there are keys of people who may approve");
    }
    said = now;
    if (missing.length === 0) return [];
    return [
      `The policy has ${counted(missing.length, "demand")} on approvers that the present keys cannot meet, so such writes wait until they expire: the log of approvals names the tiers and rules, and "toolbus keys add" makes further keys.`,
    ];
  };
}
