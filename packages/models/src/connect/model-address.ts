import { ModelRefused, type ModelSettings, type ProviderName } from "./model-settings.ts";

const OLLAMA_PORT = "11434";

/** Where a provider is asked instead of its vendor's own address, and the variable that says so. */
export interface OtherAddress {
  readonly url: string;
  readonly variable: "LLM_BASE_URL" | "OPENAI_BASE_URL";
}

/**
 * The address that configuration gives to a provider; null where the vendor's own is asked. `OPENAI_BASE_URL` is set for every program of a shell that speaks to
 * OpenAI, so a key goes there only encrypted, or within this machine; decision 0069. Throws `ModelRefused`.
 */
export function otherAddress(settings: Pick<ModelSettings, "baseUrl" | "openaiBaseUrl">, provider: ProviderName): OtherAddress | null {
  if (settings.baseUrl !== null) return { url: baseAddress(settings.baseUrl, "LLM_BASE_URL"), variable: "LLM_BASE_URL" };
  if (provider !== "openai" || settings.openaiBaseUrl === null) return null;
  const url = baseAddress(settings.openaiBaseUrl, "OPENAI_BASE_URL");
  const { protocol, hostname } = new URL(url);
  if (protocol === "http:" && !isThisMachine(hostname))
    throw new ModelRefused(
      "OPENAI_BASE_URL begins with http:// and leads to another machine, so everybody on the way could read the key: use https://, or, where that is meant, " +
        "set LLM_BASE_URL to it and LLM_PROVIDER=openai.",
    );
  return { url, variable: "OPENAI_BASE_URL" };
}

function isThisMachine(hostname: string): boolean {
  return hostname === "localhost" || hostname.endsWith(".localhost") || hostname === "[::1]" || /^127(\.\d+){3}$/.test(hostname);
}

/** The base address as adapters take it, without a slash at its end. Throws `ModelRefused`, which never quotes it: it may hold a password. */
export function baseAddress(text: string, variable: string): string {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw new ModelRefused(
      `${variable} is no address: give one that begins with http:// or https://, for example http://127.0.0.1:8000/v1.`,
    );
  const { username, password, search, hash } = new URL(text);
  if (username !== "" || password !== "" || search !== "" || hash !== "")
    throw new ModelRefused(
      `${variable} holds more than an address: leave user, password, "?" and "#" out of it; keys have variables of their own.`,
    );
  return text.replace(/\/+$/, "");
}

/**
 * Where Ollama is, from `OLLAMA_HOST` as Ollama itself reads it: an address, or a host with or without a port. The address that its server listens on
 * for everybody (0.0.0.0) is reached on loopback, and the path of its OpenAI-compatible side (/v1) is left out. Throws `ModelRefused`.
 */
export function ollamaAddress(host: string | null): string {
  if (host === null) return `http://127.0.0.1:${OLLAMA_PORT}`;
  const address = /^https?:\/\//.test(host) ? host : `http://${/:\d+\/?$/.test(host) ? host : `${host}:${OLLAMA_PORT}`}`;
  if (!URL.canParse(address))
    throw new ModelRefused("OLLAMA_HOST is no address: give one such as 127.0.0.1:11434 or http://gpu.example:11434.");
  const url = new URL(baseAddress(address, "OLLAMA_HOST"));
  if (url.hostname === "0.0.0.0") url.hostname = "127.0.0.1";
  return url.href.replace(/\/+$/, "").replace(/\/v1$/, "");
}
