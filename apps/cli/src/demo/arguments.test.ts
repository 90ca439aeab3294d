import { describe, expect, it } from "vitest";
import { demoArguments } from "./arguments.ts";

describe("the flags of the demo", () => {
  it("have defaults that ask at the keyboard and gate on nothing", () => {
    expect(demoArguments([])).toEqual({ ok: true, args: { decision: "ask", json: false, failOn: null, help: false } });
  });

  it("are all read", () => {
    const given = [
      "--repo",
      "shop",
      "--from",
      "v1",
      "--to",
      "v2",
      "--junit",
      "j.xml",
      "--metrics",
      "m.json",
      "--data",
      "d",
      "--deny",
      "--json",
      "--fail-on",
      "high",
    ];
    expect(demoArguments(given)).toEqual({
      ok: true,
      args: {
        repo: "shop",
        from: "v1",
        to: "v2",
        junit: "j.xml",
        metrics: "m.json",
        data: "d",
        decision: "deny",
        json: true,
        failOn: "high",
        help: false,
      },
    });
  });

  it.each([
    { argv: ["--bogus"], words: /'--bogus'.*--help/ },
    { argv: ["stray"], words: /'stray'/ },
    { argv: ["--approve", "--deny"], words: /exclude each other/ },
    { argv: ["--fail-on", "low"], words: /medium or high, not "low"/ },
    { argv: ["--repo"], words: /^--repo needs a value/ },
    { argv: ["--to", "--json"], words: /^--to needs a value/ },
    { argv: ["--data="], words: /^--data needs a value/ },
    { argv: ["--approve=yes"], words: /--approve/ },
  ])("$argv are refused in one line that names the fault", ({ argv, words }) => {
    const read = demoArguments(argv);
    expect(read).toMatchObject({ ok: false, message: expect.stringMatching(words) });
    expect(read.ok ? "" : read.message).not.toContain("\n");
  });
});
