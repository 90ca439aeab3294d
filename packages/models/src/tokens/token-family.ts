/** The family whose tokenizer a model uses, as far as that is known. */
export type TokenFamily = "openai" | "anthropic" | "bedrock" | "other";

/**
 * How many tokens a family needs for a text that has one token in o200k.
 *
 * - `openai`: every model since GPT-4o has o200k itself.
 * - `anthropic`: no tokenizer is published. By Anthropic's migration guide, Claude 4.7 needs 1.0 to 1.35 times the tokens of earlier models. Public
 *   measurements with its own counter (April 2026) show 3.6 characters per token for English, where o200k has 4.7, and more for code: 1.3 to 1.5.
 * - `bedrock`: the model may be of any vendor; most are Claude.
 * - `other`: Llama, Qwen and Mistral have vocabularies of 128,000 to 152,000 entries against 200,000; they make up to a fifth more.
 *
 * An estimate that is too high is safer: a prompt is pruned a little early. The vendor's reports correct it (`tokenCalibration`).
 */
export const tokenFactors: Readonly<Record<TokenFamily, number>> = { openai: 1, anthropic: 1.4, bedrock: 1.4, other: 1.2 };
