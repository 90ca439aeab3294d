import { describe, expect, it } from "vitest";
import { chooseProvider, neededKey, settingsFor } from "./choose-provider.ts";
import { otherAddress } from "./model-address.ts";
import { ModelRefused, type ModelSettings, noModelSettings } from "./model-settings.ts";

const KEYS = { anthropic: "sk-ant-secret-1", openai: "sk-secret-2", openrouter: "sk-or-secret-3", compatible: "secret-4" } as const;

function set(part: Partial<Omit<ModelSettings, "keys">> & { readonly keys?: Partial<ModelSettings["keys"]> }): ModelSettings {
  return { ...noModelSettings, ...part, keys: { ...noModelSettings.keys, ...part.keys } };
}

describe("the choice of a provider", () => {
  it("is the offline rules if nothing is set", () => {
    expect(chooseProvider(noModelSettings)).toEqual({ provider: "offline", model: "rules-1", configured: false });
  });

  it.each(["anthropic", "openai", "openrouter"] as const)("is the one whose key is set: %s, with its default model", (provider) => {
    const chosen = chooseProvider(set({ keys: { [provider]: KEYS[provider] } }));
    expect(chosen).toMatchObject({ provider, configured: true });
    expect(chosen.model).not.toBe("");
  });

  it("is an OpenAI-compatible server if only its address is set, with or without its key", () => {
    const at = { baseUrl: "http://127.0.0.1:8000/v1", model: "m" };
    expect(chooseProvider(set(at)).provider).toBe("compatible");
    expect(chooseProvider(set({ ...at, keys: { compatible: "k" } })).provider).toBe("compatible");
  });

  it("is the command if only that is set", () => {
    expect(chooseProvider(set({ cliCommand: "say" })).provider).toBe("cli");
  });

  it("is the named one, whatever else is set", () => {
    expect(chooseProvider(set({ provider: "openai", keys: KEYS, baseUrl: "http://x" })).provider).toBe("openai");
    expect(chooseProvider(set({ provider: "offline", keys: KEYS }))).toEqual({ provider: "offline", model: "rules-1", configured: true });
  });

  it("uses the named model", () => {
    expect(chooseProvider(set({ keys: { openai: "k" }, model: "gpt-x" })).model).toBe("gpt-x");
  });

  it.each<[string, ModelSettings, RegExp]>([
    [
      "two keys",
      set({ keys: { anthropic: KEYS.anthropic, openai: KEYS.openai } }),
      /^ANTHROPIC_API_KEY and OPENAI_API_KEY are set, so nobody knows which model is meant: set LLM_PROVIDER to anthropic or openai\.$/,
    ],
    [
      "a key and an address, because the key might not be meant for it",
      set({ keys: { openai: KEYS.openai }, baseUrl: "http://127.0.0.1:1" }),
      /^OPENAI_API_KEY and LLM_BASE_URL are set,.* set LLM_PROVIDER to openai or compatible\.$/,
    ],
    ["a key without a provider", set({ keys: { compatible: KEYS.compatible } }), /^LLM_API_KEY is set, but .* set LLM_BASE_URL/],
    [
      "a model without a provider",
      set({ model: "gpt-x" }),
      /^LLM_MODEL names "gpt-x", but nothing says whose model it is: set LLM_PROVIDER/,
    ],
    [
      "a provider that does not exist",
      set({ provider: "Anthropic" }),
      /^There is no model provider "Anthropic": choose one of offline, anthropic, /,
    ],
    ["the name of an object's built-in member", set({ provider: "toString" }), /^There is no model provider "toString"/],
    [
      "a model for the offline rules",
      set({ provider: "offline", model: "big-1" }),
      /^The provider "offline" has no model "big-1": leave LLM_MODEL unset/,
    ],
    ["Ollama without a model", set({ provider: "ollama" }), /"ollama" has no default model: .*ollama pull .*LLM_MODEL=/],
    ["a compatible server without a model", set({ baseUrl: "http://127.0.0.1:1" }), /"compatible" has no default model: .*LLM_MODEL=/],
  ])("refuses %s, in one sentence without any key", (_, settings, words) => {
    const refused = refusalOf(() => chooseProvider(settings));
    expect(refused.message).toMatch(words);
    expect(refused.message).not.toContain("secret");
  });
});

describe("the key of a provider", () => {
  it("is requested by name", () => {
    expect(refusalOf(() => neededKey(noModelSettings, "openrouter")).message).toMatch(
      /"openrouter" needs a key: set OPENROUTER_API_KEY or OPENROUTER_API_KEY_FILE/,
    );
  });

  it.each(['"sk-secret"', "sk-secret other", "sk-secret\n", "sk-secrét"])("must not contain %j, which is not shown", (key) => {
    const { message } = refusalOf(() => neededKey(set({ keys: { openai: key } }), "openai"));
    expect(message).toMatch(/^OPENAI_API_KEY contains a character that no key contains/);
    expect(message).not.toContain("secr");
  });
});

describe("the settings for a profile", () => {
  const main = set({ provider: "anthropic", model: "claude-x", baseUrl: "https://proxy.example", keys: KEYS });

  it("use the process's provider if only a model is named", () => {
    expect(settingsFor(main, { provider: null, name: "claude-y" })).toMatchObject({
      provider: "anthropic",
      model: "claude-y",
      baseUrl: "https://proxy.example",
    });
  });

  it("send the key of another provider only to its own address", () => {
    expect(settingsFor({ ...main, api: "responses" }, { provider: "openai", name: null })).toMatchObject({
      provider: "openai",
      model: null,
      baseUrl: null,
      api: "chat",
    });
  });

  it("keep OPENAI_BASE_URL for openai, as its name says", () => {
    const own = { ...main, openaiBaseUrl: "https://openai.example/v1" };
    expect(otherAddress(settingsFor(own, { provider: "openai", name: null }), "openai")?.url).toBe("https://openai.example/v1");
    expect(chooseProvider({ ...noModelSettings, openaiBaseUrl: "https://openai.example/v1" }).provider).toBe("offline");
  });

  it("leave an address beside the offline rules to the compatible server for which it must be meant", () => {
    const offline = set({ provider: "offline", baseUrl: "http://127.0.0.1:1" });
    expect(settingsFor(offline, { provider: "compatible", name: "m" }).baseUrl).toBe("http://127.0.0.1:1");
    expect(settingsFor({ ...offline, keys: KEYS }, { provider: "anthropic", name: null }).baseUrl).toBeNull();
  });
});

function refusalOf(act: () => unknown): ModelRefused {
  try {
    act();
  } catch (error) {
    if (error instanceof ModelRefused) return error;
    throw error;
  }
  throw new Error("Nothing was refused.");
}
