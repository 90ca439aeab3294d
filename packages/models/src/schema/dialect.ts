/** Whose rules a tool's schema must keep. The offline rules and a script in a test take any. */
export const DIALECTS = ["any", "anthropic", "openai", "openrouter", "ollama", "compatible", "bedrock", "cli"] as const;
export type DialectName = (typeof DIALECTS)[number];
