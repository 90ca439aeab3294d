import { describe, expect, it } from "vitest";
import { parseAmqpUrl } from "./amqp-url.ts";

describe("the URL of a RabbitMQ bus", () => {
  it("needs only a host", () => {
    expect(parseAmqpUrl("amqp://broker")).toEqual({
      ok: true,
      settings: {
        protocol: "amqp",
        host: "broker",
        port: 5672,
        user: "guest",
        password: "guest",
        vhost: "/",
        heartbeat: 5,
        namespace: "toolbus",
        management: null,
      },
    });
  });

  it("sets everything", () => {
    const url =
      "amqps://worker:p%40ss%2Fword@[::1]:5999/pro%2Fduction?namespace=team-1&heartbeat=7&management=https%3A%2F%2Fops:secret@broker:15671%2Fapi-root%2F";
    expect(parseAmqpUrl(url)).toEqual({
      ok: true,
      settings: {
        protocol: "amqps",
        host: "::1",
        port: 5999,
        user: "worker",
        password: "p@ss/word",
        vhost: "pro/duction",
        heartbeat: 7,
        namespace: "team-1",
        management: { url: "https://broker:15671/api-root", user: "ops", password: "secret" },
      },
    });
  });

  it("lends its login to the management", () => {
    expect(parseAmqpUrl("amqp://me:mine@broker?management=http://broker:15672")).toMatchObject({
      settings: { management: { url: "http://broker:15672", user: "me", password: "mine" } },
    });
  });

  it.each([
    ["amqp:broker", "is not of the form amqp://user:password@host:5672/vhost?namespace=name"],
    ["amqp://", "is not of the form amqp://user:password@host:5672/vhost?namespace=name"],
    ["amqp://hunter2@broker?frameMax=1", 'has the unknown option "frameMax"; known are namespace, heartbeat, management'],
    ["amqp://hunter2@broker?namespace=Upper", "has a namespace that is not 1 to 40 small letters, digits and hyphens"],
    ["amqp://hunter2@broker?namespace=", "has a namespace that is not 1 to 40 small letters, digits and hyphens"],
    ["amqp://hunter2@broker?heartbeat=0", "has a heartbeat that is not a whole number of seconds from 1 to 300"],
    ["amqp://user:hunter2%@broker", "has a percent sign that encodes nothing; write %25 for the sign itself"],
    ["amqp://broker/%zz", "has a percent sign that encodes nothing; write %25 for the sign itself"],
    ["amqp://hunter2@broker?management=broker:15672", "has a management address that is not of the form http://host:15672"],
  ])("is refused as %s with one sentence without its password", (url, sentence) => {
    expect(parseAmqpUrl(url)).toEqual({ ok: false, reason: `BUS_URL ${sentence}.` });
  });
});
