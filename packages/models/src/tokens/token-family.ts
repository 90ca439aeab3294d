/** The family whose tokenizer a model uses, as far as we know. */
export type TokenFamily = "openai" | "anthropic" | "bedrock" | "other";

/**
 * The number of tokens that each family needs for a text with one token in o200k.
 *
 * - `openai`: Every model since GPT-4o uses o200k itself.
 * - `anthropic`: Anthropic publishes no tokenizer. By its migration guide, Claude 4.7 needs 1.0 to 1.35 times the tokens of earlier models. Public
 *   measurements with Anthropic's own counter (April 2026) show 3.6 characters per token for English, where o200k has 4.7. For code, the factor is
 *   1.3 to 1.5.
 * - `bedrock`: The model may be of any vendor, but most are Claude.
 * - `other`: Llama, Qwen and Mistral have vocabularies of 128,000 to 152,000 entries, and o200k has 200,000. They need up to a fifth more tokens.
 *
 * An estimate that is too high is safer, because the prompt is only pruned a little early. The vendor's reports correct it (`tokenCalibration`).
 */
export const tokenFactors: Readonly<Record<TokenFamily, number>> = { openai: 1, anthropic: 1.4, bedrock: 1.4, other: 1.2 };
