import { describe, expect, it } from "vitest";
import { BENCH_HELP, benchArguments } from "./arguments.ts";
import { benchmarks } from "./benchmarks.ts";

const read = (line: string, environment = {}) => benchArguments(line === "" ? [] : line.split(" "), benchmarks, environment);

describe("the arguments of a benchmark", () => {
  it("are its name, how long and in which form", () => {
    expect(read("embedded --seconds 3 --json")).toMatchObject({
      ok: true,
      args: { benchmark: { name: "embedded" }, seconds: 3, json: true, help: false },
    });
    expect(read("embedded")).toMatchObject({ ok: true, args: { seconds: 10, json: false } });
  });

  it("give the servers' addresses: by flag, else by the environment, else the usual ones", () => {
    expect(
      read("tool-call --rabbitmq amqp://rabbit --peers", { BENCH_NATS_URL: "nats://nats", BENCH_RABBITMQ_URL: "amqp://other" }),
    ).toMatchObject({
      args: { requests: { servers: { rabbitmq: "amqp://rabbit", nats: "nats://nats", redis: null }, peers: true } },
    });
    expect(read("run-loop", { BENCH_NATS_URL: "", BENCH_REDIS_URL: "redis://redis" })).toMatchObject({
      args: {
        requests: {
          servers: { rabbitmq: "amqp://guest:guest@127.0.0.1:5672", nats: "nats://127.0.0.1:4222", redis: "redis://redis" },
          peers: false,
        },
      },
    });
  });

  it("name the variable whose value is not an address, but not the value", () => {
    expect(read("tool-call", { BENCH_NATS_URL: "http://me:secret@nats" })).toEqual({
      ok: false,
      message: "BENCH_NATS_URL is not an address of NATS: such an address begins with nats:// or tls://.",
    });
  });

  it.each(["--help", "-h", "embedded --help"])("%s asks for the help, which lists every benchmark", (line) => {
    expect(read(line)).toMatchObject({ ok: true, args: { help: true } });
    for (const { name } of benchmarks) expect(BENCH_HELP).toContain(`\n  ${name} `);
  });

  it.each([
    [
      "",
      "Name a benchmark, for example npm run bench -- embedded. The benchmarks are: embedded, http, streams, telemetry, tool-call, run-loop, model-round, context, approvals, recovery, tools.",
    ],
    [
      "amqp",
      'There is no benchmark "amqp". The benchmarks are: embedded, http, streams, telemetry, tool-call, run-loop, model-round, context, approvals, recovery, tools.',
    ],
    ["embedded again", 'One benchmark at a time: "again" is too many.'],
    ["embedded --seconds 0", '--seconds needs a whole number from 1 to 600, not "0".'],
    ["embedded --seconds 601", '--seconds needs a whole number from 1 to 600, not "601".'],
    ["embedded --seconds 1.5", '--seconds needs a whole number from 1 to 600, not "1.5".'],
    ["embedded --seconds", "--seconds needs a value: see npm run bench -- --help."],
    ["run-loop --redis", "--redis needs a value: see npm run bench -- --help."],
    ["embedded --peers", "--peers is not for embedded, but for tool-call and model-round."],
    ["tool-call --redis redis://localhost", "--redis is not for tool-call, but for run-loop and model-round and approvals and recovery."],
    ["http --nats nats://localhost", "--nats is not for http, but for tool-call and run-loop and recovery."],
    [
      "tool-call --rabbitmq http://me:secret@localhost",
      "--rabbitmq is not an address of RabbitMQ: such an address begins with amqp:// or amqps://.",
    ],
    ["run-loop --redis localhost:6379", "--redis is not an address of Redis: such an address begins with redis:// or rediss://."],
    [
      "model-round --postgres mysql://me:secret@x",
      "--postgres is not an address of PostgreSQL: such an address begins with postgres:// or postgresql://.",
    ],
    ["embedded --fast", "Unknown option '--fast': see npm run bench -- --help for the flags."],
  ])("%j are refused in one sentence", (line, message) => {
    expect(read(line)).toEqual({ ok: false, message });
  });
});
