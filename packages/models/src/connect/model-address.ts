import { ModelRefused, type ModelSettings, type ProviderName } from "./model-settings.ts";

const OLLAMA_PORT = "11434";

/** An address that replaces the vendor's own, and the variable that sets it. */
export interface OtherAddress {
  readonly url: string;
  readonly variable: "LLM_BASE_URL" | "OPENAI_BASE_URL";
}

/**
 * Returns the address that the configuration sets for a provider, or null for the vendor's own. Users set `OPENAI_BASE_URL` for all programs of a
 * shell that talk to OpenAI. Toolbus therefore sends the key to that address only over TLS or within this machine (decision 0069). Throws
 * `ModelRefused`.
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

/**
 * Returns the base address for adapters, without a trailing slash. Throws `ModelRefused`. The error never quotes the address, because it may contain
 * a password.
 */
export function baseAddress(text: string, variable: string): string {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw new ModelRefused(
      `${variable} is not an address: give one that begins with http:// or https://, for example http://127.0.0.1:8000/v1.`,
    );
  const { username, password, search, hash } = new URL(text);
  if (username !== "" || password !== "" || search !== "" || hash !== "")
    throw new ModelRefused(
      `${variable} contains more than an address: leave user, password, "?" and "#" out of it; keys have their own variables.`,
    );
  return text.replace(/\/+$/, "");
}

/**
 * Returns Ollama's address from `OLLAMA_HOST`. As in Ollama itself, the variable contains an address, or a host with or without a port. If the server
 * listens on all addresses (0.0.0.0), the result is loopback. The result omits the path of the OpenAI-compatible API (/v1). Throws `ModelRefused`.
 */
export function ollamaAddress(host: string | null): string {
  if (host === null) return `http://127.0.0.1:${OLLAMA_PORT}`;
  const address = /^https?:\/\//.test(host) ? host : `http://${/:\d+\/?$/.test(host) ? host : `${host}:${OLLAMA_PORT}`}`;
  if (!URL.canParse(address))
    throw new ModelRefused("OLLAMA_HOST is not an address: give one such as 127.0.0.1:11434 or http://gpu.example:11434.");
  const url = new URL(baseAddress(address, "OLLAMA_HOST"));
  if (url.hostname === "0.0.0.0") url.hostname = "127.0.0.1";
  return url.href.replace(/\/+$/, "").replace(/\/v1$/, "");
}
