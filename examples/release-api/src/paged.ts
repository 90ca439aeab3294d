/** One page of a list, and how many pages there are. A page that does not exist has no `items`. */
export interface Page<T> {
  readonly page: number;
  readonly pages: number;
  readonly items: readonly T[] | undefined;
}

/** The largest list of one answer, in bytes of JSON. */
const PAGE_BYTES = 12 * 1024;

/** Splits a list into pages of a bounded size. Each page has at least one item, and an empty list is one empty page. */
export function paged<T>(all: readonly T[], page: number, bytes = PAGE_BYTES): Page<T> {
  const pages: T[][] = [[]];
  let left = bytes;
  for (const item of all) {
    const size = Buffer.byteLength(JSON.stringify(item)) + 1;
    if (size > left && left < bytes) {
      pages.push([]);
      left = bytes;
    }
    pages.at(-1)?.push(item);
    left -= size;
  }
  return { page, pages: pages.length, items: pages[page - 1] };
}
