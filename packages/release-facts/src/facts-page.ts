import { line } from "./clean-text.ts";
import { weightOf } from "./commit-log.ts";
import { byImportance } from "./file-facts.ts";
import { type FactsFilter, filteredFacts } from "./facts-filter.ts";
import type { FileFacts, ReleaseFacts } from "./release-facts.ts";

/** The largest page of facts, in bytes of JSON. One item that is larger still gets a page. */
export const LARGEST_PAGE = 20 * 1024;

export interface FactsSelection extends FactsFilter {
  /** The first page is 1. It has the most important items of each list. */
  readonly page?: number | undefined;
}

/** One page of facts, and how many pages there are. `facts` is null if the page does not exist. */
export interface FactsPage {
  readonly pages: number;
  readonly facts: ReleaseFacts | null;
}

/**
 * Returns facts of the same form that fit into a message. Lists are cut and their counts of omitted items raised. Totals stay those of the whole
 * release. The pages together list each item that the filter selects once.
 */
export function pageOfFacts(facts: ReleaseFacts, { page = 1, ...filter }: FactsSelection, bytes = LARGEST_PAGE): FactsPage {
  const selected = filteredFacts(facts, filter);
  const lists = listsOf(selected, filter.path !== undefined);
  const empty = Buffer.byteLength(JSON.stringify(assembled(selected, new Map(), []))) + NOTES_BYTES;
  const pages = packed(interleaved(lists), Math.max(0, bytes - empty));
  const chosen = pages[page - 1];
  if (!chosen) return { pages: pages.length, facts: null };
  return { pages: pages.length, facts: assembled(selected, chosen, notesOf(page, pages.length, filter)) };
}

/** A page lists at most this many hunks of a file, unless the caller asks for the file by its path. */
const MOST_HUNKS = 6;
const MOST_OWNERS = 10;
const NOTES_BYTES = 800;

type ListName = "commits" | "files" | "dependencies" | "removed" | "changed" | "added" | "requirements" | "owners";
interface Item {
  readonly list: ListName;
  /** The place in the list of the facts. A page keeps the order of the facts. */
  readonly index: number;
  readonly value: unknown;
}
type Chosen = ReadonlyMap<ListName, readonly Item[]>;

/** Returns the lists of the facts, each with its most important item first. */
function listsOf(facts: ReleaseFacts, allHunks: boolean): readonly (readonly Item[])[] {
  const items = <T>(list: ListName, values: readonly T[], compare: (a: T, b: T) => number = () => 0) =>
    values.map((value, index) => ({ list, index, value })).toSorted((a, b) => compare(a.value, b.value) || a.index - b.index);
  return [
    items("commits", facts.commits.list, (a, b) => weightOf(b) - weightOf(a)),
    items("files", facts.files.list, byImportance).map((item) => ({ ...item, value: allHunks ? item.value : withFewHunks(item.value) })),
    items("dependencies", facts.dependencies.list),
    items("removed", facts.exports.removed),
    items("changed", facts.exports.changed),
    items("requirements", facts.requirements),
    items(
      "owners",
      facts.owners.map((rule) => ({ ...rule, owners: rule.owners.slice(0, MOST_OWNERS) })),
    ),
    items("added", facts.exports.added),
  ];
}

function withFewHunks(file: FileFacts): FileFacts {
  const { hunks = [], hunksOmitted = 0 } = file;
  if (hunks.length <= MOST_HUNKS) return file;
  return { ...file, hunks: hunks.slice(0, MOST_HUNKS), hunksOmitted: hunksOmitted + hunks.length - MOST_HUNKS };
}

/** Takes one item of each list in turn, so that a long list does not push the others off the first page. */
function interleaved(lists: readonly (readonly Item[])[]): readonly Item[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, at) => lists.flatMap((list) => list[at] ?? [])).flat();
}

function packed(items: readonly Item[], room: number): readonly Chosen[] {
  const pages: Map<ListName, Item[]>[] = [new Map()];
  let left = room;
  for (const item of items) {
    const size = Buffer.byteLength(JSON.stringify(item.value)) + 1;
    if (size > left && left < room) {
      pages.push(new Map());
      left = room;
    }
    const page = pages.at(-1);
    page?.set(item.list, [...(page.get(item.list) ?? []), item]);
    left -= size;
  }
  return pages;
}

function assembled(facts: ReleaseFacts, chosen: Chosen, notes: readonly string[]): ReleaseFacts {
  // The values come from the lists of the same names, so they have the types of these lists.
  const list = <T>(name: ListName, _all: readonly T[]): T[] =>
    (chosen.get(name) ?? []).toSorted((a, b) => a.index - b.index).map(({ value }) => value as T);
  const commits = list("commits", facts.commits.list);
  const files = list("files", facts.files.list);
  const dependencies = list("dependencies", facts.dependencies.list);
  const { removed, changed, added } = facts.exports;
  const names = { removed: list("removed", removed), changed: list("changed", changed), added: list("added", added) };
  const gone = removed.length + changed.length + added.length - names.removed.length - names.changed.length - names.added.length;
  return {
    ...facts,
    commits: { ...facts.commits, omitted: facts.commits.omitted + facts.commits.list.length - commits.length, list: commits },
    files: { ...facts.files, omitted: facts.files.omitted + facts.files.list.length - files.length, list: files },
    exports: { ...names, omitted: facts.exports.omitted + gone },
    dependencies: { omitted: facts.dependencies.omitted + facts.dependencies.list.length - dependencies.length, list: dependencies },
    requirements: list("requirements", facts.requirements),
    owners: list("owners", facts.owners),
    notes: [...facts.notes, ...notes].slice(0, 20),
  };
}

function notesOf(page: number, pages: number, { area, path, kind }: FactsFilter): readonly string[] {
  const only = Object.entries({ area, path, kind }).flatMap(([name, value]) => (value === undefined ? [] : [`${name} ${value}`]));
  return [
    ...(only.length === 0
      ? []
      : [line(`The lists have only what matches ${only.join(" and ")}. The totals are those of the whole release.`, 300)]),
    ...(pages === 1 ? [] : [`This is page ${page} of ${pages}. The other pages list the rest.`]),
  ];
}
