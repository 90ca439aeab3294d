import { HttpProblem } from "@toolbus/runtime";
import type { Page, StateStore } from "@toolbus/state";

/** A page of an index, the newest members first. Throws the problem for a cursor that no page gave. */
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
