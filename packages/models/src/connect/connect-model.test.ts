import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { type ModelServer, SERVED, startModelServer } from "@toolbus/model-servers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { lookup, requestOf, userEntry } from "../conformance/requests.ts";
import { ownModelRows } from "../facts/own-model-table.ts";
import { connectModel } from "./connect-model.ts";
import { ModelRefused, type ModelSettings, noModelSettings } from "./model-settings.ts";

const KEY = "sk-test-0123456789";
const settings = (part: Partial<ModelSettings>): ModelSettings => ({
  ...noModelSettings,
  keys: { anthropic: KEY, openai: KEY, openrouter: KEY, compatible: KEY },
  cliEnvironment: { PATH: process.env["PATH"] ?? "" },
  ...part,
});

/** The settings that each provider needs besides a key. */
const whole: Readonly<Record<string, Partial<ModelSettings>>> = {
  offline: {},
  anthropic: {},
  openai: {},
  openrouter: {},
  ollama: { model: "qwen3" },
  bedrock: { awsRegion: "eu-central-1" },
  compatible: { model: "m", baseUrl: "http://127.0.0.1:8000/v1" },
  cli: { cliCommand: "node" },
};

/** The providers that ask a model. */
const REAL = Object.keys(whole).filter((provider) => provider !== "offline");

describe("connect model", () => {
  it.each(Object.keys(whole))("returns the model of %s, without a connection", async (provider) => {
    const model = await connectModel(settings({ provider, ...whole[provider] }));
    expect(model).toMatchObject({ name: provider, model: whole[provider]?.model ?? expect.stringMatching(/./) });
  });

  it.each(REAL)(
    "reports the capabilities of a model of %s: tools and pictures by the tables, and whether text comes in pieces",
    async (provider) => {
      const able = await connectModel(settings({ provider, ...whole[provider] }));
      expect(able.capabilities).toMatchObject({ tools: true, streaming: provider !== "cli" });
      const table = ownModelRows(JSON.stringify({ models: [{ provider, model: able.model, tools: false, vision: true }] }), "models.json");
      const unable = await connectModel(settings({ provider, ...whole[provider], table }));
      expect(unable.capabilities).toMatchObject({ tools: false, vision: provider !== "cli", streaming: provider !== "cli" });
    },
  );

  it("returns OpenAI with either of its protocols", async () => {
    for (const api of ["chat", "responses"] as const)
      expect(await connectModel(settings({ provider: "openai", api, model: "gpt-x" }))).toMatchObject({ name: "openai", model: "gpt-x" });
  });

  it.each<[string, Partial<ModelSettings>, RegExp]>([
    ["no key", { provider: "anthropic", keys: noModelSettings.keys }, /needs a key: set ANTHROPIC_API_KEY/],
    ["no address", { provider: "compatible", model: "m" }, /LLM_BASE_URL/],
    ["no command", { provider: "cli" }, /LLM_CLI_COMMAND/],
    ["an invalid address", { provider: "openai", baseUrl: "llm.example" }, /^LLM_BASE_URL is not an address/],
    [
      "an OpenAI address with plain http to another machine",
      { provider: "openai", openaiBaseUrl: "http://llm.example/v1" },
      /^OPENAI_BASE_URL begins with http/,
    ],
    ["an invalid host", { provider: "ollama", model: "m", ollamaHost: "http://" }, /^OLLAMA_HOST is not an address/],
  ])("refuses %s in one sentence", async (_, part, words) => {
    const refused: unknown = await connectModel(settings(part)).catch((thrown: unknown) => thrown);
    expect(refused).toBeInstanceOf(ModelRefused);
    expect(refused).toHaveProperty("message", expect.stringMatching(words));
    expect(String(refused)).not.toContain(KEY);
  });

  it("uses the configured values if a request has none, and sends nothing if there are none", async () => {
    const command = [
      "node",
      "-e",
      "process.stdin.on('data', (d) => (t = (globalThis.t ?? '') + d)).on('end', () => console.log(JSON.stringify({ text: t })))",
    ];
    const asked = async (part: Partial<ModelSettings>, temperature?: number) => {
      const model = await connectModel(settings({ provider: "cli", cliCommand: JSON.stringify(command), ...part }));
      const run = { runId: "rn_00_1", profile: "chat", input: {} };
      const request = { system: "", transcript: [], tools: [], maxTokens: 10, run, ...(temperature === undefined ? {} : { temperature }) };
      const { text } = await model.complete(request, { signal: AbortSignal.timeout(20_000), onText: () => undefined });
      return JSON.parse(text) as { temperature?: number; parallelCalls: boolean };
    };
    expect(await asked({ temperature: 0.2, parallelCalls: false })).toMatchObject({ temperature: 0.2, parallelCalls: false });
    expect(await asked({ temperature: 0.2 }, 1)).toMatchObject({ temperature: 1, parallelCalls: true });
    expect(await asked({})).not.toHaveProperty("temperature");
  });
});

describe("a model that was connected", () => {
  afterEach(() => vi.unstubAllEnvs());

  /** Returns the settings of a person for a vendor whose server is elsewhere. */
  const settingsFor = ({ vendor, url, key, model }: ModelServer): ModelSettings => {
    const keys = { ...noModelSettings.keys, ...(vendor === "ollama" || vendor === "bedrock" ? {} : { [vendor]: key }) };
    const where = vendor === "ollama" ? { ollamaHost: new URL(url).host } : { baseUrl: url };
    return { ...noModelSettings, provider: vendor, model, keys, ...where, awsRegion: "us-east-1" };
  };

  it.each(SERVED)("asks its vendor's server, with the key and the address of its settings: %s", async (vendor) => {
    const server = await startModelServer(vendor);
    try {
      // AWS's SDK looks for its credentials in these variables.
      vi.stubEnv("AWS_ACCESS_KEY_ID", "AKIDTOOLBUS");
      vi.stubEnv("AWS_SECRET_ACCESS_KEY", server.key);
      vi.stubEnv("AWS_SESSION_TOKEN", undefined);
      server.think(() => ({ text: "I look.", calls: [{ name: lookup.name, arguments: { id: "7" } }] }));
      const model = await connectModel(settingsFor(server));
      const reply = await model.complete(requestOf([userEntry("Look.")]), { signal: AbortSignal.timeout(20_000), onText: () => undefined });
      expect(reply).toMatchObject({ text: "I look.", calls: [{ name: lookup.name, arguments: '{"id":"7"}' }], stop: "tool_use" });
      expect(server.requests.map(({ status, refusal }) => refusal ?? status)).toEqual([200]);
    } finally {
      await server.close();
    }
  });
});

describe("OPENAI_BASE_URL", () => {
  it.each(["chat", "responses"] as const)("is where openai is asked, with its key, by either protocol: %s", async (api) => {
    const server = await startModelServer("openai");
    try {
      server.think(() => ({ text: "Well." }));
      const keys = { ...noModelSettings.keys, openai: server.key };
      const model = await connectModel({
        ...noModelSettings,
        provider: "openai",
        api,
        model: server.model,
        keys,
        openaiBaseUrl: server.url,
      });
      const reply = await model.complete(requestOf([userEntry("Look.")]), { signal: AbortSignal.timeout(20_000), onText: () => undefined });
      expect(reply).toMatchObject({ text: "Well." });
      expect(server.requests.map(({ status, refusal }) => refusal ?? status)).toEqual([200]);
    } finally {
      await server.close();
    }
  });
});

describe("the clients of vendors", () => {
  // Returns the addresses of the modules that a separate process loads, which Node's loader hook reports.
  const loadedBy = async (part: Partial<ModelSettings>): Promise<readonly string[]> => {
    const script = `
      import { registerHooks } from "node:module";
      const urls = [];
      registerHooks({ load: (url, context, next) => (urls.push(url), next(url, context)) });
      const { connectModel } = await import(${JSON.stringify(new URL("../index.ts", import.meta.url).href)});
      await connectModel(${JSON.stringify(settings(part))});
      process.stdout.write(JSON.stringify(urls));`;
    const args = ["--input-type=module", "--eval", script];
    const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 16_000_000, timeout: 30_000 });
    return JSON.parse(stdout) as string[];
  };
  const VENDORS = /node_modules\/(@anthropic-ai|openai|@aws-sdk|@smithy|gpt-tokenizer)\//;

  it("are not loaded for the offline rules", async () => {
    const urls = await loadedBy({ provider: "offline" });
    expect(urls.filter((url) => VENDORS.test(url))).toEqual([]);
    expect(urls.some((url) => url.endsWith("/offline-model.ts"))).toBe(true);
  });

  it.each([
    ["anthropic", ["@anthropic-ai", "gpt-tokenizer"]],
    ["openai", ["gpt-tokenizer"]],
    ["openrouter", ["gpt-tokenizer"]],
    ["ollama", ["gpt-tokenizer"]],
    ["compatible", ["gpt-tokenizer"]],
  ])("are loaded for their own vendor, and for no other: %s", async (provider, clients) => {
    const urls = await loadedBy({ provider, ...whole[provider] });
    const named = new Set(urls.flatMap((url) => VENDORS.exec(url)?.[1] ?? []));
    expect([...named].toSorted()).toEqual(clients);
  });
});
