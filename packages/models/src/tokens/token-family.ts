/** Whose tokenizer a model has, as far as that is known. */
export type TokenFamily = "openai" | "anthropic" | "bedrock" | "other";

/**
 * How many tokens a family makes of a text of which o200k makes one.
 *
 * - `openai`: every model since GPT-4o has o200k itself.
 * - `anthropic`: no tokenizer is published. Anthropic's migration guide gives Claude 4.7 1.0 to 1.35 times the tokens of the models before it, and public
 *   measurements with its own counter (April 2026) 3.6 characters a token for English, where o200k has 4.7, and more for code: 1.3 to 1.5.
 * - `bedrock`: the model may be anybody's, most are Claude.
 * - `other`: Llama, Qwen and Mistral have vocabularies of 128,000 to 152,000 entries against 200,000; they make up to a fifth more.
 *
 * Too many is the safer side: a prompt is pruned a little early. What a vendor reports corrects it (`tokenCalibration`).
 */
export const tokenFactors: Readonly<Record<TokenFamily, number>> = { openai: 1, anthropic: 1.4, bedrock: 1.4, other: 1.2 };
