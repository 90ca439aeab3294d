import { keys, parseRun, parseRunOrigin, type RunPage } from "@toolbus/contracts";
import { HttpProblem, type Principal } from "@toolbus/runtime";
import type { Page, StateStore } from "@toolbus/state";
import type { OwnRun } from "./run-access.ts";
import { viewRuns } from "./run-view.ts";

/**
 * A page of the caller's own runs, newest first. It may hold fewer than its limit, and none, and still have one after it: runs that are kept no
 * longer are passed over. Throws the problem for a cursor that no page gave.
 */
export async function runPage(
  state: StateStore,
  principal: Principal,
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
): Promise<RunPage> {
  const page = await pageAt(state, principal, limit, cursor);
  const ids = page.members.map(({ member }) => member);
  const { now, documents } = await state.read(ids.flatMap((runId) => [keys.runOrigin(runId), keys.run(runId)]));
  const owns = ids.flatMap((runId, i): OwnRun[] => {
    const origin = parseRunOrigin(documents[2 * i]?.value);
    const run = parseRun(documents[2 * i + 1]?.value);
    // The index is by the principal's name alone, which another tenant may have too.
    if (!origin.ok || origin.value.tenant !== principal.tenant) return [];
    if (!run.ok && now > origin.value.openUntil) return [];
    return [{ kind: "found", now, runId, origin: origin.value, run: run.ok ? run.value : null }];
  });
  return { runs: [...(await viewRuns(state, owns))], ...(page.cursor === undefined ? {} : { cursor: page.cursor }) };
}

async function pageAt(state: StateStore, { id }: Principal, limit: number, cursor: string | undefined): Promise<Page> {
  try {
    return await state.page(keys.runIndex(id), { limit, order: "desc", ...(cursor === undefined ? {} : { cursor }) });
  } catch (error) {
    if (error instanceof RangeError)
      throw new HttpProblem("invalid_cursor", "This cursor comes from no page.", { remedy: "Start again without a cursor." });
    throw error;
  }
}
