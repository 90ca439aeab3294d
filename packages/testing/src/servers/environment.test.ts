import { describe, expect, it } from "vitest";
import { readEnvironment } from "./environment.ts";

describe("the environment of tests", () => {
  it("allows every source and names official images by default", () => {
    const environment = readEnvironment({});
    expect(environment.sources).toEqual(["environment", "local", "private", "container"]);
    expect(environment.url("redis")).toBeNull();
    expect(environment.image("nats")).toBe("nats:2.12-alpine");
    expect(environment.onBuildServer).toBe(false);
  });

  it("names servers and images", () => {
    const environment = readEnvironment({ TEST_RABBITMQ_URL: "amqp://a", TEST_RABBITMQ_IMAGE: "rabbitmq:3", TEST_NATS_URL: "" });
    expect(environment.url("rabbitmq")).toBe("amqp://a");
    expect(environment.image("rabbitmq")).toBe("rabbitmq:3");
    expect(environment.url("nats")).toBeNull();
  });

  it("narrows the sources and keeps their order", () => {
    expect(readEnvironment({ TEST_SERVERS: "container, local" }).sources).toEqual(["local", "container"]);
  });

  it("refuses a source that does not exist", () => {
    expect(() => readEnvironment({ TEST_SERVERS: "docker" })).toThrow(
      'TEST_SERVERS does not know "docker". It is a list of environment, local, private, container.',
    );
  });

  it.each([
    ["true", true],
    ["1", true],
    ["false", false],
    ["", false],
  ])("is a build server's with CI=%s: %s", (value, onBuildServer) => {
    expect(readEnvironment({ CI: value }).onBuildServer).toBe(onBuildServer);
  });
});
