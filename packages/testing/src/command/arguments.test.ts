import { describe, expect, it } from "vitest";
import { variants } from "../world/variants.ts";
import { simulateArguments, VARIANTS } from "./arguments.ts";

describe("the arguments of npm run simulate", () => {
  it("are a thousand seeds on every core by default", () => {
    expect(simulateArguments([], 2)).toEqual({
      ok: true,
      args: { kind: "seeds", first: 1, count: 1000, options: { linger: false }, coverage: false, jobs: 2, json: false },
    });
  });

  it("choose what the command does", () => {
    expect(simulateArguments(["--seeds", "20", "--first", "7", "--linger", "--json", "--jobs", "3"], 2)).toEqual({
      ok: true,
      args: { kind: "seeds", first: 7, count: 20, options: { linger: true }, coverage: false, jobs: 3, json: true },
    });
    expect(simulateArguments(["--seed", "9"], 2)).toEqual({
      ok: true,
      args: { kind: "seed", seed: 9, options: { linger: false }, json: false },
    });
    expect(simulateArguments(["--seeds", "5", "--variant", "interruptions"], 2)).toMatchObject({
      args: { options: { linger: false, variant: "interruptions" } },
    });
    expect(simulateArguments(["--mutants"], 2)).toEqual({
      ok: true,
      args: { kind: "mutants", only: null, half: null, jobs: 2, json: false },
    });
    expect(simulateArguments(["--exhaustive", "--json"], 2)).toEqual({
      ok: true,
      args: { kind: "exhaustive", only: null, coverage: false, jobs: 2, json: true },
    });
    expect(simulateArguments(["--exhaustive", "--only", "cancel"], 2)).toMatchObject({ args: { only: "cancel" } });
    expect(simulateArguments(["--seeds", "5", "--coverage"], 2)).toMatchObject({ args: { count: 5, coverage: true } });
    expect(simulateArguments(["--help"], 2)).toEqual({ ok: true, args: { kind: "help" } });
  });

  it("know every variant that exists", () => {
    expect(VARIANTS.toSorted()).toEqual(Object.keys(variants).toSorted());
  });

  it.each([
    [["--seeds", "many"], '--seeds must be a whole number from 1 to 10000000, not "many".'],
    [["--seeds", "0"], '--seeds must be a whole number from 1 to 10000000, not "0".'],
    [["--seed", "1.5"], '--seed must be a whole number from 1 to 9007199254740991, not "1.5".'],
    [["--jobs", "1000"], '--jobs must be a whole number from 1 to 256, not "1000".'],
    [["--seeds"], "--seeds needs a number: see npm run simulate -- --help."],
    [["--seeds", "5", "--mutants"], "--seeds and --mutants exclude each other: give one of them."],
    [["--mutants", "--linger"], "--linger goes with --seeds or --seed, not with --mutants."],
    [["--seed", "5", "--first", "2"], "--first goes with --seeds, not with --seed."],
    [["--seed", "5", "--jobs", "2"], "--jobs does not go with --seed: one seed is one process."],
    [
      ["--variant", "calm"],
      '--variant must be one of without-fallback, late-messages, taken-over, unheard, interruptions, untrusted-reads, changing-targets, local-tools, batches, not "calm".',
    ],
    [["--mutants", "--variant", "interruptions"], "--variant goes with --seeds or --seed, not with --mutants."],
    [["--seed", "5", "--coverage"], "--coverage goes with --seeds or --exhaustive, not with --seed."],
    [["--seeds", "5", "--only", "cancel"], "--only goes with --mutants or --exhaustive, not with --seeds."],
    [["--sedes", "5"], "Unknown option '--sedes': see npm run simulate -- --help for the flags."],
    [["5"], "Unexpected argument '5'. This command does not take positional arguments: see npm run simulate -- --help for the flags."],
  ])("%j are refused with one sentence", (argv, message) => {
    const read = simulateArguments(argv, 2);
    expect(read).toMatchObject({ ok: false });
    if (!read.ok) expect(read.message).toContain(message.replace(/\.$/, ""));
  });
});
