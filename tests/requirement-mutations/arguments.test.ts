import { describe, expect, it } from "vitest";
import { readArguments } from "./arguments.ts";

const known = new Set(["B-05", "K-03"]);

describe("the arguments of npm run requirements", () => {
  it("show the rows by default", () => {
    expect(readArguments([], known)).toEqual({ ok: true, args: { help: false, mutate: false, twentieth: null, json: false, ids: [] } });
  });

  it("choose rows, or a twentieth of them", () => {
    expect(readArguments(["--mutate", "B-05", "K-03", "--json"], known)).toMatchObject({
      args: { mutate: true, json: true, ids: ["B-05", "K-03"] },
    });
    expect(readArguments(["--mutate", "--twentieth", "abc"], known)).toMatchObject({ args: { mutate: true, twentieth: "abc" } });
  });

  it.each([
    [["--mutate", "B-99"], 'There is no requirement "B-99": docs/requirements.md has them all.'],
    [["--twentieth", "abc"], "--twentieth goes with --mutate."],
    [["--mutate", "--twentieth", "abc", "B-05"], "--twentieth chooses rows by itself: give it or IDs."],
    [["--mutant"], "Unknown option '--mutant'"],
  ])("%j are refused with one sentence", (argv, message) => {
    const read = readArguments(argv, known);
    expect(read.ok ? "" : read.message).toContain(message);
  });
});
