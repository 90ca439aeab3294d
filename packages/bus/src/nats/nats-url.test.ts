import { describe, expect, it } from "vitest";
import { type NatsSettings, parseNatsUrl } from "./nats-url.ts";

const plain: NatsSettings = {
  servers: ["broker:4222"],
  tls: false,
  login: { kind: "none" },
  namespace: "toolbus",
  replicas: 1,
  maxBytes: 268_435_456,
};

function settingsOf(url: string): NatsSettings {
  const parsed = parseNatsUrl(url);
  if (!parsed.ok) throw new Error(parsed.reason);
  return parsed.settings;
}

describe("the URL of a NATS bus", () => {
  it.each<[string, Partial<NatsSettings>]>([
    ["nats://broker", {}],
    ["nats://broker:4222/", {}],
    ["NATS://broker:5000", { servers: ["broker:5000"] }],
    ["tls://broker", { tls: true }],
    ["nats://[::1]:4223", { servers: ["[::1]:4223"] }],
    ["nats://agent:p%40ss%3Aword@broker", { login: { kind: "password", user: "agent", password: "p@ss:word" } }],
    ["nats://s3cr%2Ft@broker", { login: { kind: "token", token: "s3cr/t" } }],
    ["nats://one:1,two:2,three", { servers: ["one:1", "two:2", "three:4222"] }],
    [
      "nats://agent:word@one,nats://two:4223?namespace=a-1&replicas=3&max-bytes=1048576",
      {
        servers: ["one:4222", "two:4223"],
        login: { kind: "password", user: "agent", password: "word" },
        namespace: "a-1",
        replicas: 3,
        maxBytes: 1_048_576,
      },
    ],
  ])("%s is read", (url, differs) => {
    expect(settingsOf(url)).toEqual({ ...plain, ...differs });
  });

  it.each([
    ["nats://", "is not of the form nats://user:password@host:4222?namespace=name"],
    ["nats:broker", "is not of the form"],
    ["nats://hunter2:hunter2@broker:99999", "names a server that is not of the form host:port"],
    ["nats://hunter2%zz:hunter2@broker", "names a server that is not of the form host:port"],
    ["nats://broker/hunter2", "names a server that is not of the form host:port"],
    ["nats://one,,two", "names a server that is not of the form host:port"],
    ["nats://a:hunter2@one,b:hunter2@two", "has more than one login; put it before the first server only"],
    ["nats://a:hunter2@one?color=red", 'has the unknown option "color"; known are namespace, replicas, max-bytes'],
    ["nats://one?replicas=1&replicas=3", "has one option twice"],
    ["nats://one?namespace=", "has a namespace that is not 1 to 40 small letters, digits and hyphens"],
    ["nats://one?namespace=a.b", "has a namespace that is not 1 to 40 small letters, digits and hyphens"],
    [`nats://one?namespace=${"a".repeat(41)}`, "has a namespace that is not 1 to 40 small letters, digits and hyphens"],
    ["nats://one?replicas=0", "has replicas that are not a number from 1 to 5"],
    ["nats://one?replicas=many", "has replicas that are not a number from 1 to 5"],
    ["nats://one?max-bytes=1000", "has max-bytes that are not a whole number of at least 1048576"],
  ])("%s is refused in one sentence without its login", (url, sentence) => {
    const parsed = parseNatsUrl(url);
    const reason = parsed.ok ? "it was read" : parsed.reason;
    expect(reason).toContain(`BUS_URL ${sentence}`);
    expect(reason).not.toContain("hunter2");
  });
});
