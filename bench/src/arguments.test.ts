import { describe, expect, it } from "vitest";
import { BENCH_HELP, benchArguments } from "./arguments.ts";
import { benchmarks } from "./benchmarks.ts";

const read = (line: string) => benchArguments(line === "" ? [] : line.split(" "), benchmarks);

describe("the arguments of a benchmark", () => {
  it("are its name, how long and in which form", () => {
    expect(read("embedded --seconds 3 --json")).toMatchObject({
      ok: true,
      args: { benchmark: { name: "embedded" }, seconds: 3, json: true, help: false },
    });
    expect(read("embedded")).toMatchObject({ ok: true, args: { seconds: 10, json: false } });
  });

  it.each(["--help", "-h", "embedded --help"])("%s asks for the help, which names every benchmark", (line) => {
    expect(read(line)).toMatchObject({ ok: true, args: { help: true } });
    for (const { name } of benchmarks) expect(BENCH_HELP).toContain(`\n  ${name} `);
  });

  it.each([
    ["", "Name a benchmark, for example npm run bench -- embedded. There is: embedded, http, streams, telemetry."],
    ["amqp", 'There is no benchmark "amqp". There is: embedded, http, streams, telemetry.'],
    ["embedded again", 'One benchmark at a time: "again" is too many.'],
    ["embedded --seconds 0", '--seconds takes a whole number from 1 to 600, not "0".'],
    ["embedded --seconds 601", '--seconds takes a whole number from 1 to 600, not "601".'],
    ["embedded --seconds 1.5", '--seconds takes a whole number from 1 to 600, not "1.5".'],
    ["embedded --seconds", "--seconds needs a value: see npm run bench -- --help."],
    ["embedded --fast", "Unknown option '--fast': see npm run bench -- --help for the flags there are."],
  ])("%j are refused in one sentence", (line, message) => {
    expect(read(line)).toEqual({ ok: false, message });
  });
});
