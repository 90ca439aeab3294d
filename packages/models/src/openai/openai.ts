import type { Remedies } from "./vendor-error.ts";

/** The settings that both of OpenAI's protocols share. */
export const OPENAI = { name: "openai", baseUrl: "https://api.openai.com/v1", headers: {} } as const;

export const OPENAI_REMEDIES: Remedies = {
  title: "OpenAI",
  key: "Check OPENAI_API_KEY, and that its project may use this model.",
  model: "Set LLM_MODEL to a model that this key may use, and check LLM_BASE_URL or OPENAI_BASE_URL if one is set.",
  credit: "Check plan and billing at platform.openai.com, or set the key of another account.",
  unreachable: "Check the network, and LLM_BASE_URL or OPENAI_BASE_URL if one is set.",
  address: "Check LLM_BASE_URL or OPENAI_BASE_URL, and any proxy between here and OpenAI.",
};
