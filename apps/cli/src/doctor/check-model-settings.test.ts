import { describe, expect, it } from "vitest";
import { sendJson, serverUnderTest } from "../testing/server-under-test.ts";
import { surroundingsUnderTest } from "../testing/surroundings-under-test.ts";
import { checkModelSettings } from "./check-model-settings.ts";

const check = (env: Readonly<Record<string, string>>) =>
  checkModelSettings({ around: surroundingsUnderTest(env).around, signal: AbortSignal.timeout(20_000) });

describe("doctor, checking the model that this shell configures", () => {
  it("says nothing if none is configured", async () => {
    expect(await check({ PATH: "/bin" })).toBeNull();
  });

  it("accepts the offline rules", async () => {
    expect(await check({ LLM_PROVIDER: "offline" })).toMatchObject({ level: "ok", message: expect.stringContaining("offline rules") });
  });

  it("asks the provider, and reports its answer without the key", async () => {
    await using server = await serverUnderTest((request, response) =>
      sendJson(response, { data: [{ id: "big" }] }, request.headers.authorization === "Bearer good-key" ? 200 : 401),
    );
    const env = { LLM_BASE_URL: server.url, LLM_MODEL: "big" };
    expect(await check({ ...env, LLM_API_KEY: "good-key" })).toMatchObject({
      level: "ok",
      message: `big of compatible at ${server.url} (LLM_BASE_URL), key accepted`,
    });
    const wrong = await check({ ...env, LLM_API_KEY: "wrong-key" });
    expect(wrong).toMatchObject({
      level: "warn",
      message: "compatible does not accept the key.",
      fix: "Set LLM_API_KEY to a valid key.",
    });
    expect(await check({ ...env, LLM_MODEL: "small", LLM_API_KEY: "good-key" })).toMatchObject({
      level: "warn",
      fix: expect.stringContaining("LLM_MODEL"),
    });
  });

  it("fails with what Toolbus itself would say at its start", async () => {
    expect(await check({ LLM_PROVIDER: "nonsense" })).toMatchObject({
      level: "fail",
      fix: expect.stringMatching(/LLM_PROVIDER.*nonsense/),
    });
    expect(await check({ ANTHROPIC_API_KEY: "a", OPENAI_API_KEY: "b" })).toMatchObject({
      level: "fail",
      fix: expect.stringMatching(/set LLM_PROVIDER to/),
    });
    expect(await check({ LLM_PROVIDER: "openai" })).toMatchObject({ level: "warn", fix: expect.stringMatching(/set OPENAI_API_KEY/) });
  });
});
