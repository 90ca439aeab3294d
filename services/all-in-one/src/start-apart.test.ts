import { readFileSync } from "node:fs";
import { mkdtempDisposable } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import type { Jwks } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { APART, startApart } from "./start-apart.ts";

describe("services that are started in separate processes", () => {
  it("are refused with the sentence of the one that cannot start, reported once and without the password", async () => {
    await using folder = await mkdtempDisposable(path.join(os.tmpdir(), "apart-"));
    const said: string[] = [];
    const starting = startApart({
      directory: folder.path,
      busUrl: "amqp://127.0.0.1:1",
      stateUrl: "postgres://me:secret@host",
      replicas: 1,
      onOutput: (_name, text) => said.push(text),
    });
    const refusal: unknown = await starting.catch((error: unknown) => error);
    expect(refusal).toHaveProperty(
      "message",
      expect.stringMatching(/^The service tool-executor did not start: The state store "postgres:…" is unknown/),
    );
    expect(said.join("")).toBe("");
    expect(String(refusal)).not.toContain("secret");
  });

  it("give the model settings and key to the agent only; each toolset has its own receipt key", async () => {
    await using folder = await mkdtempDisposable(path.join(os.tmpdir(), "apart-"));
    const child = new URL("./environment-child.ts", import.meta.url).href;
    const said = new Map<string, string>();
    const model = {
      LLM_PROVIDER: "cli",
      LLM_CLI_COMMAND: "claude -p",
      LLM_CLI_ENV: "CLAUDE_TOKEN",
      CLAUDE_TOKEN: "token-of-the-command",
      ANTHROPIC_API_KEY: "sk-ant-secret",
      OPENAI_API_KEY_FILE: "/keys/openai",
      AWS_SECRET_ACCESS_KEY: "aws-secret",
      HTTPS_PROXY: "http://proxy.example:3128",
      HOME: "/home/agent",
    };
    const apart = await startApart({
      directory: folder.path,
      busUrl: "amqp://127.0.0.1:1",
      stateUrl: "redis://127.0.0.1:1",
      replicas: 1,
      env: { LOG_LEVEL: "error", RELEASE_API_URL: "http://127.0.0.1:4010", ...model },
      modules: Object.fromEntries(APART.map((service) => [service, child])),
      onOutput: (name, text) => said.set(name, (said.get(name) ?? "") + text),
    });
    await apart.stop();
    for (const service of APART) {
      const given = JSON.parse(said.get(service) ?? "{}") as Record<string, string>;
      expect(given).toMatchObject({ LOG_LEVEL: "error", RELEASE_API_URL: "http://127.0.0.1:4010" });
      const models = Object.fromEntries(Object.entries(given).filter(([name]) => Object.hasOwn(model, name)));
      expect({ service, models }).toEqual({ service, models: service === "agent" ? model : {} });
    }
    // The signature of one toolset is not valid for another, so each has its own key.
    const receiptKeys = APART.map((service) => (JSON.parse(said.get(service) ?? "{}") as Record<string, string>)["RECEIPT_KEY_FILE"]);
    expect(receiptKeys.map((file) => file && path.basename(file))).toEqual([
      "worker.release-signing.jwk",
      "worker.operations-signing.jwk",
      undefined,
      undefined,
      undefined,
    ]);
    const { release, operations } = Object.fromEntries(
      ["release", "operations"].map((toolset) => [toolset, trustedIn(apart.keys.services.trusted)[`worker.${toolset}`]]),
    );
    expect(release?.keys).toHaveLength(1);
    expect(release?.keys[0]?.kid).not.toBe(operations?.keys[0]?.kid);
  });
});

function trustedIn(file: string): Readonly<Record<string, Jwks | undefined>> {
  return (JSON.parse(readFileSync(file, "utf8")) as { readonly services: Readonly<Record<string, Jwks>> }).services;
}
