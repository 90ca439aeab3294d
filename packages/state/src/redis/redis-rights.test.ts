import { readdirSync, readFileSync } from "node:fs";
import { oneAgent, rightsOf } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { COMMANDS, redisAclFile, redisRules, redisRulesOf } from "./redis-rights.ts";
import { REPLAYED } from "./server-facts.ts";

const services = rightsOf(oneAgent(["release"]));
const rulesOf = (name: string, namespace: string | null = null): readonly string[] =>
  redisRules(namespace, services.find(({ service }) => service === name) ?? services[0]!);

describe("the rules of a user of Redis", () => {
  it("name the commands that the source uses, and no others", () => {
    const folder = new URL("./", import.meta.url);
    const source = readdirSync(folder)
      .filter((file) => file.endsWith(".ts") && !/test|rights/.test(file))
      .map((file) => readFileSync(new URL(file, folder), "utf8"))
      .join("\n");
    const scripts = readdirSync(new URL("scripts/", folder))
      .map((file) => readFileSync(new URL(`scripts/${file}`, folder), "utf8"))
      .join("\n");
    const called = [
      ...[...source.matchAll(/(?:command|commandForBytes)\("(\w+)"/g)].map(([, name]) => name),
      ...[...source.matchAll(/"(evalsha_ro|evalsha|eval_ro|eval)"/g)].map(([, name]) => name),
      ...[...(source + scripts).matchAll(/(?:redis\.p?call|ask|flush)\('(\w+)'/g)].map(([, name]) => name?.toLowerCase()),
    ];
    const known = [...COMMANDS.connection, ...COMMANDS.store, ...COMMANDS.setUp];
    // Adds the commands that the client itself sends when it connects, and CONFIG GET as two words.
    const asked = new Set<string | undefined>([
      ...called,
      "hello",
      "ping",
      "client|setname",
      "cluster|slots",
      "cluster|info",
      "config|get",
      "acl|dryrun",
    ]);
    asked.delete("config");
    asked.delete("acl");
    expect(asked).toEqual(new Set<string | undefined>(known));
  });

  it("name the write commands, and a server is asked about each before it is trusted to replay them", () => {
    const reading =
      /^(?:eval|get$|mget|hmget|hget|hlen|lrange|lindex|llen|getrange|strlen|xread|xrevrange|wait|zcard|zcount|zrange|zrevrange)/;
    const writing = COMMANDS.store.filter((command) => !reading.test(command));
    expect(REPLAYED.map(([name]) => name).toSorted()).toEqual(writing.toSorted());
  });

  it("let a service read and write its own families, only read others', and use no command that inspects the server except INFO", () => {
    const rules = rulesOf("agent");
    expect(rules.slice(0, 3)).toEqual(["resetkeys", "resetchannels", "-@all"]);
    expect(rules).toEqual(
      expect.arrayContaining(["~tb:run:{*}:*", "%R~tb:origin:{*}:*", "~tb:timers.agent:{*}", "%R~tb:ledger.*:{*}:*", "%R~tb:store"]),
    );
    expect(rules.filter((rule) => rule.includes("approval") || rule.includes("timers.gateway"))).toEqual([]);
    expect(rules.filter((rule) => /^\+(?:@|acl|config|replicaof|shutdown|flush|debug|script|function|keys|scan)/.test(rule))).toEqual([]);
  });

  it("name one id if a record belongs to one service", () => {
    expect(rulesOf("worker-release")).toEqual(
      expect.arrayContaining(["~tb:security:{*}:worker.release.head", "~tb:security:{*}:worker.release#log"]),
    );
  });

  it("begin with the namespace", () => {
    const patterns = rulesOf("gateway", "shop").filter((rule) => rule.includes("tb:"));
    expect(patterns.every((rule) => /^(?:~|%R~)shop:tb:/.test(rule))).toBe(true);
  });
});

describe("the file of users of a Redis", () => {
  it("has only the named users, and no password", () => {
    const rules = redisRulesOf(null, services);
    const file = redisAclFile([{ user: "x-agent", password: "secret", rules: rules.get("agent") ?? [] }]);
    expect(file.split("\n")[0]).toBe("user default reset off allkeys allchannels +@all");
    expect(file).toMatch(/\nuser x-agent reset on #2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b resetkeys /);
    expect(file).not.toContain("secret");
  });
});
