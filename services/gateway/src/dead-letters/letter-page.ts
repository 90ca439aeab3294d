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

// What one request looks through at most when few letters are in the state that is asked for.
const MOST_LOOKS = 20;

/**
 * A page of dead letters, newest first. It may hold fewer than its limit, and none, and still have one after it: those of other tenants, in other
 * states, or kept no longer are passed over. Throws the problem for a cursor that no page gave.
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
