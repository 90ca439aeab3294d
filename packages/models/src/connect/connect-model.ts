import type { AdapterSettings } from "../adapter/adapter-settings.ts";
import { type ChosenModel, chooseProvider, neededKey, optionalKey } from "./choose-provider.ts";
import { ollamaAddress, otherAddress } from "./model-address.ts";
import { modelFacts } from "../facts/model-facts.ts";
import type { ModelProvider } from "../model-provider.ts";
import { ModelRefused, type ModelSettings } from "./model-settings.ts";
import { withDefaults } from "./request-defaults.ts";
import { loadTokenizer } from "../tokens/tokenizer.ts";

/**
 * Returns the model that the configuration selects. It loads only the selected adapter, so that no unused client is loaded. It opens no connection,
 * so only the first call reveals a wrong key or an unavailable server. Throws `ModelRefused` for problems in the settings.
 */
export async function connectModel(settings: ModelSettings): Promise<ModelProvider> {
  const { temperature, parallelCalls } = settings;
  const chosen = chooseProvider(settings);
  const provider = await connected(settings, chosen);
  // The tokenizer costs two tenths of a second and 65 MB, and the offline rules do not need it.
  if (chosen.provider !== "offline") await loadTokenizer();
  return withDefaults(provider, {
    ...(temperature === null ? {} : { temperature }),
    ...(parallelCalls === null ? {} : { parallelCalls }),
  });
}

async function connected(settings: ModelSettings, { provider, model }: ChosenModel): Promise<ModelProvider> {
  const facts = modelFacts(provider, model, settings.table);
  const baseUrl = otherAddress(settings, provider)?.url ?? null;
  const adapter = (apiKey: string | null): AdapterSettings => ({ model, apiKey, baseUrl, facts, bounds: settings.bounds });
  switch (provider) {
    case "offline": {
      const { offlineModel } = await import("../offline/offline-model.ts");
      return offlineModel();
    }
    case "anthropic": {
      const key = neededKey(settings, provider);
      const { anthropicModel } = await import("../anthropic/anthropic-model.ts");
      return anthropicModel(adapter(key));
    }
    case "openai":
      return openai(adapter(neededKey(settings, provider)), settings.api);
    case "openrouter": {
      const key = neededKey(settings, provider);
      const { openrouterModel } = await import("../openrouter/openrouter-model.ts");
      return openrouterModel(adapter(key));
    }
    case "ollama": {
      const { ollamaModel } = await import("../ollama/ollama-model.ts");
      return ollamaModel({ ...adapter(null), baseUrl: ollamaAddress(settings.ollamaHost) });
    }
    case "bedrock": {
      const { bedrockModel } = await import("../bedrock/bedrock-model.ts");
      return bedrockModel({ ...adapter(null), region: settings.awsRegion, credentials: null });
    }
    case "compatible": {
      const { compatibleModel } = await import("../compatible/compatible-model.ts");
      return compatibleModel(adapter(optionalKey(settings, provider)));
    }
    case "cli": {
      if (settings.cliCommand === null)
        throw new ModelRefused('The provider "cli" needs a command: set LLM_CLI_COMMAND, for example to ["claude", "-p"].');
      const { connectCli } = await import("../cli/index.ts");
      return connectCli({ model, command: settings.cliCommand, environment: settings.cliEnvironment, facts });
    }
  }
}

async function openai(adapter: AdapterSettings, api: ModelSettings["api"]): Promise<ModelProvider> {
  if (api === "responses") {
    const { openaiResponsesModel } = await import("../openai/openai-responses-model.ts");
    return openaiResponsesModel(adapter);
  }
  const { openaiModel } = await import("../openai/openai-model.ts");
  return openaiModel(adapter);
}
