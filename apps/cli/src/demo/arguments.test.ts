import { describe, expect, it } from "vitest";
import { demoArguments } from "./arguments.ts";

describe("the flags of the demo", () => {
  it("have defaults that ask at the keyboard and set no severity gate", () => {
    expect(demoArguments([])).toEqual({ ok: true, args: { decision: "ask", json: false, failOn: null, orders: null, help: false } });
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
        orders: null,
        help: false,
      },
    });
  });

  it("start every service in separate processes when there is a broker", () => {
    const bus = "amqp://guest:guest@127.0.0.1:5672";
    expect(demoArguments(["--bus", bus])).toMatchObject({ args: { apart: { bus, state: "redis://127.0.0.1:6379", replicas: 2 } } });
    expect(demoArguments(["--bus", "nats://h", "--state", "rediss://r:1/2", "--replicas", "3"])).toMatchObject({
      args: { apart: { bus: "nats://h", state: "rediss://r:1/2", replicas: 3 } },
    });
  });

  it("tell the story of the shop, with a person at the terminal or without", () => {
    expect(demoArguments(["--orders"])).toMatchObject({ args: { orders: { unattended: false } } });
    expect(demoArguments(["--orders", "--yes", "--json", "--data", "d"])).toMatchObject({
      args: { orders: { unattended: true }, data: "d" },
    });
  });

  it("do not repeat an address that is refused: it may hold a password", () => {
    for (const argv of [
      ["--bus", "http://u:secret@h"],
      ["--bus", "nats://h", "--state", "sqlite:secret"],
    ])
      expect(JSON.stringify(demoArguments(argv))).not.toContain("secret");
  });

  it.each([
    { argv: ["--state", "redis://h"], words: /^--state needs --bus/ },
    { argv: ["--replicas", "2"], words: /^--replicas needs --bus/ },
    { argv: ["--bus", "memory:"], words: /^--bus needs the address of RabbitMQ or NATS, which begins with amqp/ },
    { argv: ["--bus", "nats://h", "--state", "memory:"], words: /^--state needs the address of Redis, which begins with redis/ },
    { argv: ["--bus", "nats://h", "--replicas", "0"], words: /^--replicas accepts a whole number from 1 to 9, not "0"/ },
    { argv: ["--yes"], words: /^--yes needs --orders/ },
    { argv: ["--orders", "--approve"], words: /^--orders excludes --approve: it accepts --yes, --json and --data/ },
    { argv: ["--orders", "--repo", "shop", "--fail-on", "high"], words: /^--orders excludes --repo and --fail-on/ },
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
