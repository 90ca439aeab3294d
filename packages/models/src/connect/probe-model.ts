import { beginningOf } from "../adapter/response-text.ts";
import { chooseProvider, neededKey, optionalKey } from "./choose-provider.ts";
import { ollamaAddress, type OtherAddress, otherAddress } from "./model-address.ts";
import { KEY_VARIABLES, type KeyedProvider, ModelRefused, type ModelSettings } from "./model-settings.ts";

/** The facts about a model that a probe found without a model call. */
export type ModelProbe =
  | { readonly ok: true; readonly what: string }
  /** `fix` says what to do. Neither text contains a key. */
  | { readonly ok: false; readonly what: string; readonly fix: string };

const PROBE_MS = 10_000;
/** How long a probe waits. */
interface Wait {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

const MAX_LIST_CHARS = 4_000_000;

/**
 * Asks the configured provider whether it can be reached, accepts the key and knows the model. The request costs nothing and sends only the key and
 * the model's name. Returns null if the configuration has no provider to ask. Waits `timeoutMs` at most. Rejects only with the signal's reason.
 */
export async function probeModel(settings: ModelSettings, signal: AbortSignal, timeoutMs = PROBE_MS): Promise<ModelProbe | null> {
  try {
    return await probed(settings, { signal, timeoutMs });
  } catch (error) {
    if (error instanceof ModelRefused) return { ok: false, what: "It cannot be used as it is set.", fix: error.message };
    throw error;
  }
}

async function probed(settings: ModelSettings, wait: Wait): Promise<ModelProbe | null> {
  const { provider, model } = chooseProvider(settings);
  const other = otherAddress(settings, provider);
  const variable = other?.variable ?? null;
  const base = (own: string): string => other?.url ?? own;
  switch (provider) {
    case "offline":
      return null;
    case "anthropic": {
      const headers = { authorization: `Bearer ${neededKey(settings, provider)}`, "anthropic-version": "2023-06-01" };
      const url = `${base("https://api.anthropic.com")}/v1/models/${encodeURIComponent(model)}`;
      return verdict(await answerOf(url, headers, wait), { provider, model, url, variable });
    }
    case "openai": {
      const url = `${base("https://api.openai.com/v1")}/models/${encodeURIComponent(model)}`;
      return verdict(await answerOf(url, bearer(neededKey(settings, provider)), wait), { provider, model, url, variable });
    }
    case "openrouter": {
      // OpenRouter's list of models is public, so only this endpoint shows whether the key is valid.
      const url = `${base("https://openrouter.ai/api/v1")}/key`;
      return verdict(await answerOf(url, bearer(neededKey(settings, provider)), wait), { provider, model, url, variable });
    }
    case "compatible": {
      if (settings.baseUrl === null) throw new ModelRefused('The provider "compatible" needs LLM_BASE_URL: the address of its server.');
      const url = `${base("")}/models`;
      const key = optionalKey(settings, provider);
      return verdict(await answerOf(url, key === null ? {} : bearer(key), wait), {
        provider,
        model,
        url,
        variable,
        hasKey: key !== null,
        list: "data",
        id: "id",
      });
    }
    case "ollama": {
      const url = `${ollamaAddress(settings.ollamaHost)}/api/tags`;
      return verdict(await answerOf(url, {}, wait), { provider, model, url, variable: "OLLAMA_HOST", list: "models", id: "name" });
    }
    case "bedrock":
      return {
        ok: true,
        what: `${model} of bedrock, in ${settings.awsRegion ?? "the region of the AWS profile"}; the first run shows whether it may be used`,
      };
    case "cli": {
      if (settings.cliCommand === null) throw new ModelRefused('The provider "cli" needs a command: set LLM_CLI_COMMAND.');
      const { findProgram, readCliCommand } = await import("../cli/cli-command.ts");
      return { ok: true, what: `the command ${await findProgram(readCliCommand(settings.cliCommand), settings.cliEnvironment)}` };
    }
  }
}

interface Asked {
  readonly provider: KeyedProvider | "ollama";
  readonly model: string;
  readonly url: string;
  /** The variable that sets the address. Null for the vendor's own address. */
  readonly variable: OtherAddress["variable"] | "OLLAMA_HOST" | null;
  /** False if the server was asked without a key. */
  readonly hasKey?: boolean;
  /** The member of the answer that lists the models. Absent if the status alone is enough. */
  readonly list?: string;
  readonly id?: string;
}

type Answer = { readonly status: number; readonly body: unknown } | { readonly status: null; readonly lateMs: number | null };

async function answerOf(url: string, headers: Readonly<Record<string, string>>, { signal, timeoutMs }: Wait): Promise<Answer> {
  try {
    const response = await fetch(url, { headers, redirect: "error", signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]) });
    const text = await beginningOf(response, MAX_LIST_CHARS);
    signal.throwIfAborted();
    return { status: response.status, body: jsonOf(text) };
  } catch (error) {
    signal.throwIfAborted();
    return { status: null, lateMs: error instanceof Error && error.name === "TimeoutError" ? timeoutMs : null };
  }
}

function verdict(answer: Answer, asked: Asked): ModelProbe {
  const { provider, model, url, variable, hasKey = true } = asked;
  const { origin } = new URL(url);
  const key = provider === "ollama" ? null : KEY_VARIABLES[provider];
  if (answer.status === null) {
    const fix =
      provider === "ollama"
        ? 'Start it with "ollama serve", or set OLLAMA_HOST.'
        : `Check ${variable === null ? "the network" : `the network and ${variable}`}.`;
    return {
      ok: false,
      what: answer.lateMs === null ? `Nothing answers at ${origin}.` : `${origin} did not answer within ${answer.lateMs / 1000} s.`,
      fix,
    };
  }
  if (answer.status === 401 || answer.status === 403)
    return {
      ok: false,
      what: hasKey ? `${provider} does not accept the key.` : `${provider} at ${origin} needs a key, and none is set.`,
      fix: key === null ? "Check OLLAMA_HOST." : `Set ${key} to a valid key.`,
    };
  const known = answer.status === 200 ? knows(answer.body, asked) : true;
  if (answer.status === 404 || !known)
    return {
      ok: false,
      what: `${provider} at ${origin} has no model ${JSON.stringify(model)}.`,
      fix:
        provider === "ollama"
          ? `Fetch it with "ollama pull ${model}", or name another one in LLM_MODEL.`
          : "Name another one in LLM_MODEL.",
    };
  if (answer.status !== 200)
    return {
      ok: false,
      what: `${provider} at ${origin} answers ${answer.status}.`,
      fix: "Look at its status page, or at its log, and try again.",
    };
  const where = variable === null || variable === "OLLAMA_HOST" ? "" : ` at ${origin} (${variable})`;
  const said = key === null ? "which is there" : hasKey ? "key accepted" : "which needs no key";
  return { ok: true, what: `${model} of ${provider}${where}, ${said}` };
}

/** Returns true unless the answer is a list of models without this model. */
function knows(body: unknown, { model, list, id }: Asked): boolean {
  if (list === undefined || id === undefined) return true;
  const rows = typeof body === "object" && body !== null ? (body as Record<string, unknown>)[list] : null;
  if (!Array.isArray(rows)) return true;
  const names = rows.map((row: unknown) => (typeof row === "object" && row !== null ? (row as Record<string, unknown>)[id] : null));
  return names.includes(model) || names.includes(`${model}:latest`);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function bearer(key: string): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${key}` };
}
