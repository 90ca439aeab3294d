/**
 * The dialects of the vendors. A tool's schema must follow the rules of its vendor's dialect. The offline rules and scripted models in tests accept
 * any schema.
 */
export const DIALECTS = ["any", "anthropic", "openai", "openrouter", "ollama", "compatible", "bedrock", "cli"] as const;
export type DialectName = (typeof DIALECTS)[number];
