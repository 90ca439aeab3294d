import {
  APPROVERS_NEEDED,
  type ApprovalPolicyFile,
  foreignSchema,
  LONGEST_WAIT_MS,
  MOST_APPROVERS,
  type PolicyNeeds,
  type PolicyRule,
  type Problem,
  TIERS,
} from "@toolbus/contracts";
import { durationInWords, durationMs } from "./duration.ts";
import type { PolicyDefaults } from "./judge-policy.ts";
import { isTimeZone, isWithinLongestWait } from "./working-hours.ts";

/** The facts about a deployment that a policy is checked against. Null means that they are not known, so nothing is checked. */
export interface KnownNames {
  /** The names of the webhook targets. */
  readonly targets: readonly string[] | null;
  /** The names of the registered writes, and of their toolsets as `toolset:<name>`. Tools may register later, so a service does not refuse a name. */
  readonly tools?: readonly string[];
}

/** Needs with the place where the file has them. */
interface Place {
  readonly path: string;
  readonly needs: PolicyNeeds;
}

/** Returns the problems that the schema of the file cannot express, each with a JSON Pointer. `defaults` apply to tiers that name no time. */
export function policyProblems(file: ApprovalPolicyFile, defaults: PolicyDefaults, known: KnownNames): readonly Problem[] {
  const { rules = [], tiers = {} } = file;
  const places: readonly Place[] = [
    ...TIERS.flatMap((tier) => (tiers[tier] ? [{ path: `/tiers/${tier}`, needs: tiers[tier] }] : [])),
    ...rules.flatMap(({ needs }, n) => (needs ? [{ path: `/rules/${n}/needs`, needs }] : [])),
  ];
  return [
    ...hoursProblems(file),
    ...rules.flatMap((rule, n) => ruleProblems(rule, `/rules/${n}`)),
    ...twice(rules),
    ...places.flatMap((place) => needsProblems(place, file, known)),
    ...waitProblems(places, file, defaults),
    ...sizeProblems(places),
    ...toolProblems(file, known),
  ];
}

function hoursProblems({ hours = {} }: ApprovalPolicyFile): readonly Problem[] {
  return Object.entries(hours).flatMap(([name, { zone, from, to }]) => [
    ...(name === ALWAYS ? [{ path: `/hours/${name}`, message: "is the name for all of the time: choose another name" }] : []),
    ...(isTimeZone(zone) ? [] : [{ path: `/hours/${name}/zone`, message: `is not a time zone: "${zone}"; one is Europe/Berlin` }]),
    ...(from < to ? [] : [{ path: `/hours/${name}/to`, message: `must be later on the same day than from (${from})` }]),
  ]);
}

function ruleProblems({ tier, reason, tiers, when, needs }: PolicyRule, path: string): readonly Problem[] {
  const schema = when === undefined ? null : foreignSchema(when);
  return [
    ...(tier === undefined && needs === undefined ? [{ path, message: "changes nothing: add tier or needs" }] : []),
    ...(tier !== undefined && reason === undefined
      ? [{ path: `${path}/tier`, message: "needs a reason, the sentence that approvers read" }]
      : []),
    ...(tier !== undefined && tiers !== undefined
      ? [{ path: `${path}/tiers`, message: "cannot be combined with tier, because the tier of the call must be known first" }]
      : []),
    ...(schema === null || schema.ok
      ? []
      : [{ path: `${path}/when${schema.fault.pointer}`, message: `is not a schema that can be used. ${schema.fault.reason}` }]),
  ];
}

function twice(rules: readonly PolicyRule[]): readonly Problem[] {
  return rules.flatMap(({ name }, n) =>
    rules.findIndex((other) => other.name === name) < n
      ? [{ path: `/rules/${n}/name`, message: `is the name of an earlier rule: "${name}"; give each rule its own` }]
      : [],
  );
}

function needsProblems({ path, needs }: Place, { hours = {} }: ApprovalPolicyFile, { targets }: KnownNames): readonly Problem[] {
  const { ticket, hours: named, escalate, approvers } = needs;
  const pattern = ticket === undefined ? null : foreignSchema({ type: "string", pattern: ticket });
  const tier = TIERS.find((one) => path === `/tiers/${one}`);
  return [
    ...(tier !== undefined && approvers !== undefined && approvers < APPROVERS_NEEDED[tier]
      ? [{ path: `${path}/approvers`, message: `cannot be lower than ${APPROVERS_NEEDED[tier]}, which the tier ${tier} always needs` }]
      : []),
    ...(pattern === null || pattern.ok
      ? []
      : [{ path: `${path}/ticket`, message: `is not a regular expression that can be used. ${pattern.fault.reason}` }]),
    ...(named === undefined || named === ALWAYS || Object.hasOwn(hours, named)
      ? []
      : [{ path: `${path}/hours`, message: `names "${named}", which is not among hours` }]),
    ...(escalate?.to ?? []).flatMap((target, n) =>
      targets === null || targets.includes(target)
        ? []
        : [
            {
              path: `${path}/escalate/to/${n}`,
              message: `names "${target}", which is not a target in the file of webhooks (WEBHOOKS_FILE)`,
            },
          ],
    ),
  ];
}

/** Returns the times that can take longer than approvals can wait. A rule without a time of its own is checked with the times of every tier. */
function waitProblems(
  places: readonly Place[],
  { hours = {}, tiers = {} }: ApprovalPolicyFile,
  defaults: PolicyDefaults,
): readonly Problem[] {
  return places.flatMap(({ path, needs }) => {
    if (needs.expires === undefined && needs.hours === undefined) return [];
    const ownHours = needs.hours === undefined ? TIERS.map((tier) => tiers[tier]?.hours) : [needs.hours];
    const ownTimes =
      needs.expires === undefined
        ? [defaults.expiryMs, ...TIERS.flatMap((tier) => tiers[tier]?.expires ?? []).map(durationMs)]
        : [durationMs(needs.expires)];
    const which = path.startsWith("/tiers/") ? [needs.hours] : [undefined, ...ownHours];
    const tooLong = ownTimes.some((ms) =>
      which.some((name) => !isWithinLongestWait(ms, name !== undefined && Object.hasOwn(hours, name) ? (hours[name] ?? null) : null)),
    );
    const field = needs.expires === undefined ? "hours" : "expires";
    return tooLong ? [{ path: `${path}/${field}`, message: TOO_LONG }] : [];
  });
}

/** Returns the tools of the policy that are not registered. A misspelt name would silently protect nothing. */
function toolProblems({ rules = [], writeTools = [] }: ApprovalPolicyFile, { tools: registered }: KnownNames): readonly Problem[] {
  if (registered === undefined) return [];
  const named = [
    ...writeTools.map((tool, n) => ({ path: `/writeTools/${n}`, tool })),
    ...rules.flatMap(({ tools = [] }, n) => tools.map((tool, m) => ({ path: `/rules/${n}/tools/${m}`, tool }))),
  ];
  return named.flatMap(({ path, tool }) =>
    registered.includes(tool) || tool.startsWith("source:")
      ? []
      : [{ path, message: `names "${tool}", which is not registered: correct the name, or start its worker` }],
  );
}

function sizeProblems(places: readonly Place[]): readonly Problem[] {
  const groups: Record<string, number> = {};
  for (const { needs } of places)
    for (const [group, count] of Object.entries(needs.groups ?? {})) groups[group] = Math.max(count, groups[group] ?? 0);
  const people = Object.values(groups).reduce((sum, count) => sum + count, 0);
  const lists = JSON.stringify(places.map(({ needs: { from, ticket } }) => [from, ticket])).length;
  return [
    ...(people > MOST_APPROVERS
      ? [{ path: "", message: `asks for ${people} people of groups in total; ${MOST_APPROVERS} are the most that can approve one write` }]
      : []),
    ...(lists > MOST_LISTED
      ? [{ path: "", message: `has lists of approvers with ${lists} characters; ${MOST_LISTED} are the most, so use groups` }]
      : []),
  ];
}

const ALWAYS = "always";
// Each approval stores the lists that apply to it, beside its arguments.
const MOST_LISTED = 8192;
const TOO_LONG = `can take longer than ${durationInWords(LONGEST_WAIT_MS)}, the longest that a write can wait (docs/policy.md says why)`;
