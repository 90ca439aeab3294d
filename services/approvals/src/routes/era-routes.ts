import { declared, type EraResume, type EraRaise, eraRaise, eraResume, EraView, FIRST_ERA, isHeld } from "@toolbus/contracts";
import { getRoute, HttpProblem, noQuery, postRoute, type Route } from "@toolbus/runtime";
import { type EraNow, type Eras } from "../eras/eras.ts";
import { recorded } from "./route-docs.ts";

const TAG = "Era";
const OPERATORS = ["operator"] as const;

/**
 * Returns the routes that operators use after the store lost writes. The routes show and change the era of all grants and the shards in which writes
 * wait. Both belong to no tenant.
 */
export function eraRoutes({ eras }: { readonly eras: Pick<Eras, "read" | "raise" | "replace" | "resume"> }): readonly Route[] {
  return [
    getRoute({
      url: "/v1/era",
      access: ["operator", "approver"],
      docs: {
        operationId: "getEra",
        tag: TAG,
        summary: "Shows the era for which grants are valid, and the shards that lost writes.",
        answers: { 200: { says: "The era.", body: view, example: recorded.era } },
        problems: ["conflict"],
      },
      query: noQuery,
      handle: async () => viewOf(await eras.read()),
    }),
    postRoute({
      url: "/v1/era/raise",
      access: OPERATORS,
      docs: {
        operationId: "raiseEra",
        tag: TAG,
        summary: "Voids every grant, for example after a restore that no process could notice.",
        description:
          "Agents get new grants automatically. With `hold`, writes that cannot be repeated safely wait in every shard until an operator resumes them. `replace` raises the era over a stored era that approvals did not sign, and holds every shard.",
        answers: { 200: { says: "The current era.", body: view, example: recorded.raisedEra } },
        problems: ["conflict"],
      },
      body: {
        declared: eraRaise,
        required: true,
        examples: [{ era: 1, reason: "restored from the backup of midnight", hold: true }],
        remedy: 'Send {"era": the era from GET /v1/era, "reason": "…"}.',
      },
      rate: null,
      handle: ({ body, principal }) => raise(body, principal.id),
    }),
    postRoute({
      url: "/v1/era/resume",
      access: OPERATORS,
      docs: {
        operationId: "resumeWrites",
        tag: TAG,
        summary: "Lets writes begin again in shards that lost some.",
        description:
          "Writes begin again in the named shards, or in all shards. The caller has first checked what the targets received before the loss.",
        answers: { 200: { says: "The current era.", body: view, example: recorded.resumedEra } },
        problems: [],
      },
      body: {
        declared: eraResume,
        required: false,
        examples: [{ shards: ["03"] }],
        remedy: 'Send {"shards": ["03"]}, or nothing for all.',
      },
      rate: null,
      handle: ({ body, principal }) => resume(body, principal.id),
    }),
  ];

  async function raise({ era, reason, hold = false, replace = false }: EraRaise, by: string): Promise<EraView> {
    if (replace) return replaced(reason, by);
    const now = await eras.raise({ from: era, reason, hold, by });
    if (!now) throw new HttpProblem("conflict", "The era has changed.", { remedy: "Read it again, and raise it from there." });
    return viewOf(now);
  }

  async function replaced(reason: string, by: string): Promise<EraView> {
    const now = await eras.replace({ reason, by });
    if (now) return viewOf(now);
    throw new HttpProblem("conflict", "The stored era is genuine, so it is not replaced.", { remedy: "Raise it without replace." });
  }

  async function resume({ shards }: EraResume, by: string): Promise<EraView> {
    return viewOf(await eras.resume({ shards: shards ?? null, by }));
  }
}

const view = declared("Era", EraView);
function viewOf({ era, now }: EraNow): EraView {
  return {
    era: era?.era ?? FIRST_ERA,
    raisedAt: era?.raisedAt ?? null,
    reason: era?.reason ?? null,
    lost: (era?.lost ?? []).map((one) => ({ ...one, held: isHeld(era, one.shard, { now }) })),
  };
}
