import { HttpProblem } from "@toolbus/runtime";
import type { Page, StateStore } from "@toolbus/state";

/** Returns a page of an index, newest members first. Throws the problem for a cursor that no page returned. */
export async function newestIn(
  state: Pick<StateStore, "page">,
  index: string,
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
): Promise<Page> {
  try {
    return await state.page(index, { limit, order: "desc", ...(cursor === undefined ? {} : { cursor }) });
  } catch (error) {
    if (error instanceof RangeError)
      throw new HttpProblem("invalid_cursor", "This cursor does not come from a page.", { remedy: "Start again without a cursor." });
    throw error;
  }
}
