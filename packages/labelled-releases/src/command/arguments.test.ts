import { describe, expect, it } from "vitest";
import { evalsArguments } from "./arguments.ts";

describe("the arguments of the evals", () => {
  it("score both parts by default, or the one that is named", () => {
    expect(evalsArguments(["releases"])).toEqual({
      ok: true,
      args: { kind: "releases", splits: ["tuning", "held-out"], json: false, explain: false },
    });
    expect(evalsArguments(["releases", "--split", "held-out", "--json"])).toMatchObject({ args: { splits: ["held-out"], json: true } });
    expect(evalsArguments(["--help"])).toEqual({ ok: true, args: { kind: "help" } });
  });

  it.each([
    [[], "Name what to score: npm run evals -- releases."],
    [["alerts"], 'Name what to score: npm run evals -- releases, not "alerts".'],
    [["releases", "--split", "all"], '--split must be tuning or held-out, not "all".'],
    [
      ["releases", "--split", "held-out", "--explain"],
      "--explain shows only releases of the tuning part, so it does not go with --split held-out.",
    ],
    [["releases", "--loud"], "Unknown option '--loud': see npm run evals -- --help for the flags."],
    [["releases", "--split"], "Option '--split <value>' argument missing: see npm run evals -- --help for the flags."],
  ])("%j are refused with one sentence", (argv, message) => {
    expect(evalsArguments(argv)).toEqual({ ok: false, message });
  });
});
