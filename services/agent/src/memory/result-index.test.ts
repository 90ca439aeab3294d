import { describe, expect, it } from "vitest";
import { indexOf, indexText, outlineText } from "./result-index.ts";

const PARTS = { tool: "fetch_page", indexKey: "session/c/tool-fetch_page-1-index" };
const section = (heading: string): string => `${heading}\n\n${"word ".repeat(5000)}\n\n`;

describe("the index of a long result", () => {
  it("has an outline of its headings by their levels, with the chunk that each begins in", () => {
    const text = ["# Guide", "## Install", "### On Linux", "## Use", "# Licence"].map(section).join("");
    const lines = outlineText(indexOf(text, 30_000), PARTS).split("\n");
    expect(lines.slice(2)).toEqual([
      "- Guide (chunk 1)",
      "  - Install (chunk 2)",
      "    - On Linux (chunk 3)",
      "  - Use (chunk 4)",
      "- Licence (chunk 5)",
    ]);
  });

  it("gives the model a small table, however many chunks there are, and the key of the outline", () => {
    const text = Array.from({ length: 100 }, (_, n) => section(`# Part ${n + 1}`)).join("");
    const index = indexOf(text, 30_000);
    expect(index.chunks).toHaveLength(100);
    const table = indexText(index, {
      ...PARTS,
      chars: text.length,
      cutByWorker: false,
      reader: "get_from_working_memory",
      ttlMs: 1_200_000,
    });
    expect(table).toContain(`Its outline has the key ${PARTS.indexKey}\n`);
    expect(table).toContain("| 40 | session/c/tool-fetch_page-1-chunk40 | Part 40 |");
    expect(table).not.toContain("| 41 |");
    expect(table).toContain("And 60 more, up to session/c/tool-fetch_page-1-chunk100; the outline says what stands where.");
    expect(table.length).toBeLessThan(4000);
    expect(table).not.toContain("only the beginning");
  });

  it("says if the worker has cut the result, because the chunks do not show it", () => {
    const about = { ...PARTS, chars: 9, reader: "get_from_working_memory", ttlMs: 60_000 };
    expect(indexText(indexOf("too long.", 30_000), { ...about, cutByWorker: true })).toContain(
      "It is only the beginning: its worker cut the rest off",
    );
  });
});
