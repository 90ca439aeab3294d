import { ModelRefused } from "./model-settings.ts";

const OLLAMA_PORT = "11434";

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
