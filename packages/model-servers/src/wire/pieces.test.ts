import { describe, expect, it } from "vitest";
import { awkwardPieces, textPieces } from "./pieces.ts";

describe("awkward pieces", () => {
  it("are the same bytes, and split every multi-byte character", () => {
    const bytes = Buffer.from('data: {"text":"ü好👍"}\r\n\r\n'.repeat(20));
    const pieces = awkwardPieces(bytes);
    expect(Buffer.concat(pieces)).toEqual(bytes);
    const cut = pieces.filter((piece) => (piece.at(-1) ?? 0) >= 0xc0);
    expect(cut).toHaveLength(3 * 20);
  });

  it("of a text keep its characters whole", () => {
    expect(textPieces("a👍b👍cd", 3)).toEqual(["a", "👍b", "👍cd"]);
    expect(textPieces("", 3)).toEqual([]);
  });
});
