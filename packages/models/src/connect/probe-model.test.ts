import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { type ModelSettings, noModelSettings } from "./model-settings.ts";
import { probeModel } from "./probe-model.ts";

const KEY = "sk-test-0123456789";
const keys = { anthropic: KEY, openai: KEY, openrouter: KEY, compatible: KEY };
const never = new AbortController().signal;

/** Starts a server that knows one key and one model, in each provider's own form. */
async function vendor() {
  const server = createServer((request, response) => answer(request, response)).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function answer({ url = "", headers }: IncomingMessage, response: ServerResponse): void {
  const json = (status: number, body: object): void =>
    void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  if (url === "/silent/models") return;
  if (url === "/api/tags") return json(200, { models: [{ name: "big:latest" }] });
  if (url === "/free/models") return json(200, { data: [{ id: "big" }] });
  if (headers.authorization !== `Bearer ${KEY}`) return json(401, {});
  if (url === "/broken/models") return json(503, {});
  if (url === "/key") return json(200, { data: {} });
  if (url === "/models") return json(200, { data: [{ id: "big" }] });
  return url.endsWith("/models/big") ? json(200, { id: "big" }) : json(404, {});
}

const probe = (part: Partial<ModelSettings>) => probeModel({ ...noModelSettings, keys, ...part }, never);

describe("the probe of a model", () => {
  it.each(["anthropic", "openai", "openrouter", "compatible", "ollama"])("finds an existing one of %s", async (provider) => {
    await using server = await vendor();
    const found = await probe({ provider, model: "big", baseUrl: server.url, ollamaHost: server.url });
    expect(found).toMatchObject({ ok: true, what: expect.stringContaining(`big of ${provider}`) });
  });

  it.each(["anthropic", "openai", "openrouter", "compatible"] as const)(
    "reports that %s does not accept the key, which is not shown",
    async (provider) => {
      await using server = await vendor();
      const found = await probe({ provider, model: "big", baseUrl: server.url, keys: { ...keys, [provider]: "sk-wrong-0123456789" } });
      expect(found).toMatchObject({
        ok: false,
        what: `${provider} does not accept the key.`,
        fix: expect.stringMatching(/^Set \w+_API_KEY /),
      });
      expect(JSON.stringify(found)).not.toContain("sk-wrong");
    },
  );

  it("does not speak of a key that is not set", async () => {
    await using server = await vendor();
    const without = { provider: "compatible", model: "big", keys: { ...keys, compatible: null } } as const;
    expect(await probe({ ...without, baseUrl: server.url })).toEqual({
      ok: false,
      what: `compatible at ${server.url} needs a key, and none is set.`,
      fix: "Set LLM_API_KEY to a valid key.",
    });
    expect(await probe({ ...without, baseUrl: `${server.url}/free` })).toEqual({
      ok: true,
      what: `big of compatible at ${server.url} (LLM_BASE_URL), which needs no key`,
    });
  });

  it.each(["anthropic", "openai", "compatible", "ollama"])("reports that %s has no such model", async (provider) => {
    await using server = await vendor();
    const found = await probe({ provider, model: "small", baseUrl: server.url, ollamaHost: server.url });
    expect(found).toMatchObject({
      ok: false,
      what: expect.stringMatching(/has no model "small"\.$/),
      fix: expect.stringContaining("LLM_MODEL"),
    });
  });

  it.each(["openai", "ollama"])("reports that nothing answers, with what to do: %s", async (provider) => {
    const found = await probe({ provider, model: "big", baseUrl: "http://127.0.0.1:1", ollamaHost: "127.0.0.1:1" });
    expect(found).toMatchObject({
      ok: false,
      what: "Nothing answers at http://127.0.0.1:1.",
      fix: expect.stringMatching(/ollama serve|LLM_BASE_URL/),
    });
  });

  it("asks at the address in OPENAI_BASE_URL, and names it", async () => {
    await using server = await vendor();
    const found = await probe({ provider: "openai", model: "big", openaiBaseUrl: server.url });
    expect(found).toEqual({ ok: true, what: `big of openai at ${server.url} (OPENAI_BASE_URL), key accepted` });
    expect(await probe({ provider: "openai", model: "big", openaiBaseUrl: "http://127.0.0.1:1" })).toMatchObject({
      ok: false,
      fix: "Check the network and OPENAI_BASE_URL.",
    });
    expect(await probe({ provider: "openai", model: "big", openaiBaseUrl: "http://llm.example/v1" })).toMatchObject({
      ok: false,
      fix: expect.stringMatching(/^OPENAI_BASE_URL begins with http/),
    });
  });

  it("reports a failing server", async () => {
    await using server = await vendor();
    expect(await probe({ provider: "compatible", model: "big", baseUrl: `${server.url}/broken` })).toMatchObject({
      ok: false,
      what: expect.stringMatching(/answers 503\.$/),
    });
  });

  it("says that a server is too slow, and not that it is gone", async () => {
    await using server = await vendor();
    const settings = { ...noModelSettings, keys, provider: "compatible", model: "big", baseUrl: `${server.url}/silent` };
    expect(await probeModel(settings, never, 50)).toMatchObject({ ok: false, what: `${server.url} did not answer within 0.05 s.` });
  });

  it("asks nobody about the offline rules, and says what is wrong with unusable settings", async () => {
    expect(await probeModel(noModelSettings, never)).toBeNull();
    expect(await probe({ provider: "nonsense" })).toMatchObject({ ok: false, fix: expect.stringMatching(/no model provider "nonsense"/) });
    expect(await probeModel({ ...noModelSettings, provider: "openai" }, never)).toMatchObject({
      ok: false,
      fix: expect.stringMatching(/OPENAI_API_KEY/),
    });
  });

  it("ends with the given signal", async () => {
    const reason = new Error("enough");
    const probing = probeModel(
      { ...noModelSettings, provider: "ollama", model: "big", ollamaHost: "127.0.0.1:1" },
      AbortSignal.abort(reason),
    );
    await expect(probing).rejects.toBe(reason);
  });
});
