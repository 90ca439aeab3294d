import { type DeadLetterPage, type DeadLetterSummary, keys, letterOfMember, type LetterState } from "@toolbus/contracts";
import { HttpProblem, type Principal } from "@toolbus/runtime";
import type { Page, StateStore } from "@toolbus/state";
import { readLetters } from "./find-letter.ts";
import { letterSummary, stateOf } from "./letter-view.ts";

export interface LetterPageOptions {
  readonly queue?: string | undefined;
  readonly state?: LetterState | undefined;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

// The most pages of the index that one request reads. A request reads several pages if few dead letters are in the requested state.
const MOST_LOOKS = 20;

/**
 * Returns a page of dead letters, newest first. A page may have fewer dead letters than its limit, or none, although another page follows. It skips
 * dead letters that have expired, that belong to other tenants, or that are in other states. Throws the problem for a cursor that no page returned.
 */
export async function letterPage(store: StateStore, operator: Principal, options: LetterPageOptions): Promise<DeadLetterPage> {
  const { queue, state, limit } = options;
  const deadLetters: DeadLetterSummary[] = [];
  let cursor = options.cursor;
  for (let looks = 1; ; looks++) {
    const page = await pageAt(store, queue, limit - deadLetters.length, cursor);
    const found = await readLetters(
      store,
      page.members.map(({ member }) => letterOfMember(member).letterId),
      operator,
    );
    deadLetters.push(...found.filter((one) => state === undefined || stateOf(one) === state).map(letterSummary));
    cursor = page.cursor;
    if (cursor === undefined) return { deadLetters };
    if (deadLetters.length === limit || looks === MOST_LOOKS) return { deadLetters, cursor };
  }
}

async function pageAt(store: StateStore, queue: string | undefined, limit: number, cursor: string | undefined): Promise<Page> {
  try {
    return await store.page(keys.deadLetters(queue), { limit, order: "desc", ...(cursor === undefined ? {} : { cursor }) });
  } catch (error) {
    if (error instanceof RangeError)
      throw new HttpProblem("invalid_cursor", "This cursor does not come from a page.", { remedy: "Start again without a cursor." });
    throw error;
  }
}
