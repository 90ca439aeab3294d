import { counted, headOf, type ResultIndex } from "@toolbus/contracts";
import { chunkText } from "./chunk-text.ts";
import type { Section } from "./cuts.ts";
import { chunkKeyOf } from "./working-keys.ts";

// The model reads an index again in every later turn, so an index is small for every result.
const MAX_ROWS = 40;
const MAX_LINES = 400;
const TITLE_CHARS = 80;

/** Returns the positions of a text's chunks, and the sections that begin in each chunk. Leaves out the deepest sections if there are too many. */
export function indexOf(text: string, most: number): ResultIndex {
  const { chunks, sections } = chunkText(text, most);
  let n = 0;
  return {
    chunks: chunks.map(({ start, end, heading }) => ({ start, end, heading: titleText(heading) })),
    sections: fewEnough(sections).map(({ level, title, at }) => {
      while ((chunks[n]?.end ?? Number.POSITIVE_INFINITY) <= at) n++;
      return { level, title: titleText(title), chunk: n + 1 };
    }),
  };
}

export interface IndexedResult {
  readonly tool: string;
  readonly indexKey: string;
  /** The length of the whole result. */
  readonly chars: number;
  /** True if the worker cut the end of the result off, because of its own limit. */
  readonly cutByWorker: boolean;
  /** The name of the tool that reads working memory. */
  readonly reader: string;
  /** How long working memory keeps the result, in milliseconds. */
  readonly ttlMs: number;
}

/** Returns the text that the model reads instead of the result: the list of chunks, their keys, and how to read them. */
export function indexText({ chunks }: ResultIndex, { tool, indexKey, chars, cutByWorker, reader, ttlMs }: IndexedResult): string {
  const rows = chunks.slice(0, MAX_ROWS).map(({ start, end, heading }, n) => {
    return `| ${n + 1} | ${chunkKeyOf(indexKey, n + 1)} | ${heading} | ${end - start} |`;
  });
  const more = chunks.length - rows.length;
  return [
    `The result of ${tool} has ${chars} characters, too many to show at once. It was put into working memory in ${counted(chunks.length, "chunk")} for ${minutes(ttlMs)}.${cutByWorker ? " It is only the beginning: its worker cut the rest off, so ask for less at once if the rest matters." : ""}`,
    `Read what you need with ${reader}, for example ${JSON.stringify({ key: chunkKeyOf(indexKey, 1) })}. Its outline has the key ${indexKey}`,
    "",
    "| Chunk | Key | Heading | Characters |",
    "| --- | --- | --- | --- |",
    ...rows,
    ...(more > 0 ? [`And ${more} more, up to ${chunkKeyOf(indexKey, chunks.length)}; the outline says what stands where.`] : []),
  ].join("\n");
}

/** Returns the hierarchical outline under the key of an index: each heading with the chunk in which it begins. */
export function outlineText({ chunks, sections }: ResultIndex, { tool, indexKey }: Pick<IndexedResult, "tool" | "indexKey">): string {
  const keys = chunkKeyOf(indexKey, 1).replace(/1$/, "<n>");
  const lines =
    sections.length > 0
      ? sections.map(({ level, title, chunk }) => `${"  ".repeat(level - 1)}- ${title} (chunk ${chunk})`)
      : chunks.slice(0, MAX_LINES).map(({ heading }, n) => `- chunk ${n + 1}${heading === "" ? "" : `: ${heading}`}`);
  return [`Outline of the result of ${tool}: ${counted(chunks.length, "chunk")}, with the keys ${keys}`, "", ...lines].join("\n");
}

/** Returns a duration in words. */
export function minutes(ms: number): string {
  const whole = Math.max(1, Math.round(ms / 60_000));
  return whole === 1 ? "a minute" : `${whole} minutes`;
}

function fewEnough(sections: readonly Section[]): readonly Section[] {
  for (const level of [3, 2, 1]) {
    const kept = sections.filter((section) => section.level <= level);
    if (kept.length <= MAX_LINES) return kept;
  }
  return sections.filter(({ level }) => level === 1).slice(0, MAX_LINES);
}

/** Makes a title fit into one table cell, because its text comes from the tool. */
function titleText(title: string): string {
  const line = title.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}|]+/gu, " ").trim();
  return line.length > TITLE_CHARS ? `${headOf(line, TITLE_CHARS - 1)}…` : line;
}
