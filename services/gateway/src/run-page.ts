import { keys, parseRun, parseRunOrigin, type RunOutcome, type RunPage, type RunView, type RunViewStatus } from "@toolbus/contracts";
import type { Principal } from "@toolbus/runtime";
import type { StateStore } from "@toolbus/state";
import { newestIn } from "./index-page.ts";
import { refused, type Refused } from "./refused.ts";
import type { OwnRun } from "./run-access.ts";
import { viewRuns } from "./run-view.ts";

export interface RunsWanted {
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly status?: RunViewStatus | undefined;
  readonly outcome?: RunOutcome | undefined;
  readonly profile?: string | undefined;
  /** Only runs that were requested at this time or later are listed. The time is the store's. */
  readonly since?: number | undefined;
}

/** Returns the requester whose runs are listed. This is the caller, or another principal of the tenant if the caller is its operator. */
export function listedFor({ id, tenant, roles }: Principal, requester: string = id): Requester | Refused {
  if (requester === id || roles.includes("operator")) return { kind: "requester", id: requester, tenant };
  return refused("forbidden", "Only operators list the runs of others.", "Leave requester out, or use an operator's key.");
}

export interface Requester extends Pick<Principal, "id" | "tenant"> {
  readonly kind: "requester";
}

/** The search for one page ends after about this number of runs. */
const LOOKED_AT = 500;

/**
 * Returns a page of a principal's runs, newest first. Expired runs are skipped, and the search ends after a limited number of runs. So a page may
 * have fewer runs than its limit, or none, although another page follows. Throws the problem for a cursor that no page returned.
 */
export async function runPage(state: StateStore, requester: Requester, wanted: RunsWanted): Promise<RunPage> {
  const { limit, since = 0 } = wanted;
  const found: RunView[] = [];
  let cursor = wanted.cursor;
  for (let looked = 0; looked < LOOKED_AT;) {
    const page = await plainPage(state, requester, limit - found.length, cursor);
    const recent = page.runs.filter(({ createdAt }) => createdAt >= since);
    found.push(...recent.filter((run) => isWanted(run, wanted)));
    // The newest runs are first. After one that is too old, all others are too old as well.
    cursor = recent.length < page.runs.length ? undefined : page.cursor;
    if (cursor === undefined || found.length >= limit) break;
    looked += page.looked;
  }
  return { runs: found, ...(cursor === undefined ? {} : { cursor }) };
}

function isWanted(run: RunView, { status, outcome, profile }: RunsWanted): boolean {
  return (
    (status === undefined || run.status === status) &&
    (outcome === undefined || (run.outcomes ?? []).includes(outcome)) &&
    (profile === undefined || run.profile === profile)
  );
}

async function plainPage(
  state: StateStore,
  requester: Requester,
  limit: number,
  cursor: string | undefined,
): Promise<{ readonly runs: readonly RunView[]; readonly looked: number; readonly cursor?: string | undefined }> {
  const page = await newestIn(state, keys.runIndex(requester.id), { limit, cursor });
  const ids = page.members.map(({ member }) => member);
  const { now, documents } = await state.read(ids.flatMap((runId) => [keys.runOrigin(runId), keys.run(runId)]));
  const owns = ids.flatMap((runId, i): OwnRun[] => {
    const origin = parseRunOrigin(documents[2 * i]?.value);
    const run = parseRun(documents[2 * i + 1]?.value);
    // The index uses only the principal's name, which may exist in another tenant too.
    if (!origin.ok || origin.value.tenant !== requester.tenant) return [];
    if (!run.ok && now > origin.value.openUntil) return [];
    return [{ kind: "found", now, runId, origin: origin.value, run: run.ok ? run.value : null }];
  });
  return { runs: await viewRuns(state, owns), looked: Math.max(1, ids.length), cursor: page.cursor };
}
