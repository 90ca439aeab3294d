import { describe, expect, it } from "vitest";
import { strayLines } from "./stray-lines.ts";

describe("lines about messages that belong to nothing", () => {
  it("are the first of each kind in a minute, and the number of the others", async () => {
    const said: (readonly [object, string])[] = [];
    const strays = strayLines({
      log: { warn: (fields: object, words?: string) => void said.push([fields, words ?? ""]) },
      monotonic: () => 0,
    });
    for (let n = 0; n < 1000; n++) strays.tell({ n }, "an answer belongs to nothing");
    strays.tell({ n: 0 }, "a wake belongs to nothing");
    await strays.stop();
    expect(said.slice(0, 31).map(([, words]) => words)).toEqual([
      ...Array.from({ length: 30 }, () => "an answer belongs to nothing"),
      "a wake belongs to nothing",
    ]);
    expect(said.slice(31)).toEqual([
      [{ kind: "an answer belongs to nothing", leftOut: 970, overMs: 0 }, expect.stringContaining("only their number")],
    ]);
  });
});
