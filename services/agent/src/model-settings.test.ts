import { mkdtempDisposable, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { chooseProvider, MODEL_PROVIDERS, noModelSettings } from "@toolbus/models";
import { readSettings, Refusal } from "@toolbus/runtime";
import { describe, expect, it } from "vitest";
import { modelInWords } from "./model-in-words.ts";
import { modelEnvironment, modelSettings, readModelSettings } from "./model-settings.ts";

const read = (env: Readonly<Record<string, string>>) => readModelSettings(readSettings(modelSettings, env), env);
async function refusal(env: Readonly<Record<string, string>>): Promise<string> {
  const error: unknown = await read(env).catch((thrown: unknown) => thrown);
  if (error instanceof Refusal) return error.message;
  throw new Error(`It was not refused: ${String(error)}`);
}

describe("the settings of models", () => {
  it("are empty if nothing is set", async () => {
    expect(await read({})).toEqual(noModelSettings);
  });

  it("are read from their variables", async () => {
    expect(
      await read({
        LLM_PROVIDER: "openai",
        LLM_MODEL: " gpt-x ",
        LLM_API: "responses",
        LLM_BASE_URL: "https://llm.example/v1",
        OPENAI_BASE_URL: "https://openai.example/v1",
        LLM_TEMPERATURE: "0.2",
        LLM_PARALLEL_CALLS: "false",
        OPENAI_API_KEY: "sk-1",
        OLLAMA_HOST: "gpu",
        AWS_REGION: "eu-central-1",
      }),
    ).toEqual({
      ...noModelSettings,
      provider: "openai",
      model: "gpt-x",
      api: "responses",
      baseUrl: "https://llm.example/v1",
      openaiBaseUrl: "https://openai.example/v1",
      temperature: 0.2,
      parallelCalls: false,
      keys: { ...noModelSettings.keys, openai: "sk-1" },
      ollamaHost: "gpu",
      awsRegion: "eu-central-1",
    });
  });

  it("take keys from files", async () => {
    await using folder = await mkdtempDisposable(path.join(tmpdir(), "model-settings-"));
    const file = path.join(folder.path, "key");
    await writeFile(file, "sk-from-file\n");
    expect((await read({ ANTHROPIC_API_KEY_FILE: file })).keys.anthropic).toBe("sk-from-file");
    expect(await refusal({ ANTHROPIC_API_KEY_FILE: file, ANTHROPIC_API_KEY: "sk-secret" })).toBe(
      "ANTHROPIC_API_KEY and ANTHROPIC_API_KEY_FILE are both set: keep one of them.",
    );
    await writeFile(file, " \n");
    expect(await refusal({ ANTHROPIC_API_KEY_FILE: file })).toMatch(/key file .* is empty: put the key into it/);
    expect(await refusal({ LLM_API_KEY_FILE: path.join(folder.path, "none") })).toMatch(/LLM_API_KEY_FILE cannot be read \(ENOENT\)/);
  });

  it("give a command's process the basic environment and the named variables, and none of our secrets", async () => {
    const env = { PATH: "/bin", HOME: "/home/me", LANG: "C", ANTHROPIC_API_KEY: "sk-secret", TOKEN: "t", OTHER: "o", LLM_CLI_ENV: "TOKEN" };
    expect((await read(env)).cliEnvironment).toEqual({ PATH: "/bin", HOME: "/home/me", LANG: "C", TOKEN: "t" });
    expect(await refusal({ LLM_CLI_ENV: "A=secret" })).toMatch(/^LLM_CLI_ENV must be names of variables(?!.*secret)/);
    expect(await refusal({ LLM_CLI_ENV: "GONE" })).toMatch(/names GONE, which is not set/);
  });

  it.each(["warm", "-1", "2.1", "0,5"])("refuse %j as a temperature", async (text) => {
    expect(await refusal({ LLM_TEMPERATURE: text })).toMatch(/^LLM_TEMPERATURE must be a number from 0 to 2/);
  });
});

describe("the environment of an agent", () => {
  it("is the part that decides which model answers and how it is reached", () => {
    const mine = {
      LLM_PROVIDER: "cli",
      OPENAI_API_KEY: "k",
      OPENAI_BASE_URL: "https://openai.example/v1",
      AWS_PROFILE: "p",
      https_proxy: "x",
      LLM_CLI_ENV: "TOKEN",
      TOKEN: "t",
      PATH: "/bin",
    };
    expect(modelEnvironment({ ...mine, GATEWAY_PORT: "1", OTHER: "o", LLM_MODEL: "" })).toEqual(mine);
  });
});

describe("the model in words", () => {
  it.each<[Readonly<Record<string, string>>, RegExp]>([
    [{}, /^offline rules, no key needed; for a language model set ANTHROPIC_API_KEY, /],
    [{ LLM_PROVIDER: "offline", OPENAI_API_KEY: "k" }, /^offline rules, as LLM_PROVIDER says$/],
    [{ OPENAI_API_KEY: "sk-secret", LLM_MODEL: "gpt-x" }, /^gpt-x of openai$/],
    [
      { OPENAI_API_KEY: "sk-secret", LLM_MODEL: "gpt-x", OPENAI_BASE_URL: "https://proxy.example/openai/v1" },
      /^gpt-x of openai at https:\/\/proxy\.example, as OPENAI_BASE_URL says$/,
    ],
    [{ LLM_BASE_URL: "http://127.0.0.1:8000/v1", LLM_MODEL: "m" }, /^m of compatible at http:\/\/127\.0\.0\.1:8000, as LLM_BASE_URL says$/],
    [{ ANTHROPIC_API_KEY: "sk-secret", LLM_MODEL: "c", OPENAI_BASE_URL: "nonsense" }, /^c of anthropic$/],
  ])("needs no key: %j", async (env, words) => {
    expect(await modelInWords(env)).toMatch(words);
  });

  it("refuses what the agent would refuse", async () => {
    await expect(modelInWords({ OPENAI_API_KEY: "a", ANTHROPIC_API_KEY: "b" })).rejects.toBeInstanceOf(Refusal);
    await expect(modelInWords({ OPENAI_API_KEY: "a", OPENAI_BASE_URL: "http://proxy.example/v1" })).rejects.toThrow(/everybody on the way/);
  });
});

describe("docs/models.md", () => {
  const page = readFile(new URL("../../../docs/models.md", import.meta.url), "utf8");

  it("has every variable", async () => {
    const text = await page;
    expect(Object.keys(modelSettings).filter((name) => !text.includes(`\`${name}`) && !text.includes(`${name}=`))).toEqual([]);
  });

  it("has every provider, with the model that it is asked for by default", async () => {
    const text = await page;
    for (const provider of MODEL_PROVIDERS) {
      const row = text.split("\n").find((line) => line.startsWith(`| \`${provider}\` |`)) ?? "";
      expect(row).toContain(defaultModel(provider) ?? "none: name one");
    }
  });
});

function defaultModel(provider: string): string | null {
  try {
    return `\`${chooseProvider({ ...noModelSettings, provider }).model}\``;
  } catch {
    return null;
  }
}
