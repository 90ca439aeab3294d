import { describe, expect, it } from "vitest";
import { settingsOfService } from "./known-settings.ts";
import { APART } from "./start-apart.ts";

const env = {
  LOG_LEVEL: "error",
  OTEL_SERVICE_NAME: "mine",
  NODE_EXTRA_CA_CERTS: "/ca.pem",
  GATEWAY_PORT: "9080",
  APPROVALS_PORT: "9081",
  RELEASE_API_URL: "http://127.0.0.1:4010",
  AGENT_CONCURRENCY: "3",
  OPENAI_API_KEY: "sk-secret",
  GITHUB_TOKEN: "gh-secret",
  BUS_URL: "memory:",
  STATE_URL: "memory:",
  TOOLSETS: "release",
  RECEIPT_KEY_FILE: "/keys/one",
  HEALTH_PORT: "9000",
  METRICS_PORT: "9464",
  DRAIN_MS: "",
};
const ofAll = { LOG_LEVEL: "error", OTEL_SERVICE_NAME: "mine", NODE_EXTRA_CA_CERTS: "/ca.pem" };

describe("what one of several services gets from one environment", () => {
  it("is what it reads itself and what all read, and no secret of another service", () => {
    expect(Object.fromEntries(APART.map((service) => [service, settingsOfService(service, env)]))).toEqual({
      "tool-executor": { ...ofAll, RELEASE_API_URL: env.RELEASE_API_URL },
      operations: { ...ofAll, RELEASE_API_URL: env.RELEASE_API_URL },
      approvals: { ...ofAll, APPROVALS_PORT: "9081" },
      agent: { ...ofAll, AGENT_CONCURRENCY: "3", OPENAI_API_KEY: "sk-secret" },
      gateway: { ...ofAll, GATEWAY_PORT: "9080" },
    });
  });
});
