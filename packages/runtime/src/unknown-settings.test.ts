import { describe, expect, it } from "vitest";
import { unknownSettings } from "./unknown-settings.ts";

const known = ["BUS_URL", "STATE_URL", "GATEWAY_PORT", "GATEWAY_HOST", "LOG_LEVEL", "RUNS_PER_PRINCIPAL"];

describe("variables that are not settings", () => {
  it.each([
    ["a setting that is misspelt", "STATE_ULR", "STATE_URL"],
    ["one without its last letter", "RUNS_PER_PRINCIPA", "RUNS_PER_PRINCIPAL"],
    ["one in small letters", "log_level", "LOG_LEVEL"],
    ["one of this service that is near to another", "GATEWAY_PORTS", "GATEWAY_PORT"],
    ["one of this service that is near to none", "GATEWAY_TIMEOUT_SECONDS", null],
    ["one of the command line that is misspelt", "TOOLBUS_ULR", "TOOLBUS_URL"],
    ["one with our prefix that is near to none", "TOOLBUS_RETRIES_AT_MOST", null],
  ])("are named: %s", (_, variable, meant) => {
    expect(unknownSettings({ [variable]: "1" }, { known, services: ["gateway"] })).toEqual([{ variable, meant }]);
  });

  it.each([
    ["a setting", "BUS_URL"],
    ["somebody else's", "PATH"],
    ["another service's", "AGENT_CONCURRENCY"],
    ["one that has a short name and is near by chance", "GAS_URL"],
    ["one of the command line, which other shells set", "TOOLBUS_APPROVER_KEY_FILE"],
    ["a model's, where this process has none", "LLM_RETRIES"],
    ["one that Kubernetes sets for a Service", "GATEWAY_SERVICE_HOST"],
    ["one that Kubernetes sets for a port of a Service", "GATEWAY_PORT_8080_TCP_ADDR"],
  ])("are not: %s", (_, variable) => {
    expect(unknownSettings({ [variable]: "1" }, { known, services: ["gateway"] })).toEqual([]);
  });

  it("are not those that Kubernetes sets as the port of a Service, together with its host", () => {
    const env = { TOOLBUS_PORT: "tcp://10.0.0.1:8080", TOOLBUS_SERVICE_HOST: "10.0.0.1" };
    expect(unknownSettings(env, { known, services: ["gateway"] })).toEqual([]);
    expect(unknownSettings({ TOOLBUS_PORT: "8080" }, { known, services: ["gateway"] })).toHaveLength(1);
  });

  it("are named if they have the prefix of models and this process has a model, unless they are for its command", () => {
    const ofModels = [...known, "LLM_PROVIDER", "LLM_CLI_ENV"];
    const env = { LLM_PROVDER: "openai", LLM_RETRIES: "3", LLM_USER_PATH: "/home", LLM_CLI_ENV: "LLM_USER_PATH" };
    expect(unknownSettings(env, { known: ofModels, services: ["agent"] })).toEqual([
      { variable: "LLM_PROVDER", meant: "LLM_PROVIDER" },
      { variable: "LLM_RETRIES", meant: null },
    ]);
  });
});
