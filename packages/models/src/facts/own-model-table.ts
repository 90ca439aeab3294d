import { readFile } from "node:fs/promises";
import { modelFacts } from "./model-facts.ts";
import { type DollarPrice, type ModelRow, RESULT_CHARS, RESULT_CHARS_OF_SMALL, SMALL_CONTEXT } from "./model-table.ts";

/** The error for a `MODEL_TABLE_FILE` that cannot be used. The message is one sentence for the operator. */
export class ModelTableRefused extends Error {
  override readonly name = "ModelTableRefused";
  readonly code = "model_table_refused";
}

const MAX_BYTES = 1_000_000;
const MAX_ROWS = 2000;

/**
 * Reads the operator's own rows, which add to the built-in table or replace its rows. The form is `{"models": [{"provider", "model",
 * "contextTokens"?, "maxOutputTokens"?, "vision"?, "tools"?, "sampling"?, "resultChars"?, "price"?}]}`. The price is null or in US dollars per
 * million tokens (`input`, `output`, `cacheRead`?, `cacheWrite`?, `longPrompt`?). Omitted values are taken from the built-in table. An empty name
 * means no file. Throws `ModelTableRefused`, which names the file, the row and the problem.
 */
export async function readModelTable(file: string): Promise<readonly ModelRow[]> {
  if (file === "") return [];
  const text = await readFile(file, "utf8").catch((error: unknown) => {
    throw refused(file, `cannot be read (${error instanceof Error && "code" in error ? String(error.code) : String(error)})`);
  });
  if (text.length > MAX_BYTES) throw refused(file, `has ${text.length} characters, ${MAX_BYTES} is the most`);
  return ownModelRows(text, file);
}

/** Returns the rows in a text of this form. `file` is the file's name for messages. */
export function ownModelRows(text: string, file: string): readonly ModelRow[] {
  const models = member(parsed(text, file), "models");
  if (!Array.isArray(models) || models.length > MAX_ROWS) throw refused(file, `must contain "models", a list of at most ${MAX_ROWS}`);
  const seen = new Set<string>();
  return models.map((value: unknown, n) => {
    const where = `models[${n}]`;
    const fault = (problem: string): ModelTableRefused => refused(file, `${where}${problem}`);
    const row = objectOf(value, ROW, fault);
    const [provider, model] = [row["provider"], row["model"]];
    if (!isName(provider)) throw fault(".provider must be the name of a provider");
    if (!isName(model)) throw fault(".model must be the name of a model");
    if (seen.has(`${provider} ${model}`)) throw fault(` is the second row of ${provider} ${model}`);
    seen.add(`${provider} ${model}`);
    const known = modelFacts(provider, model);
    const contextTokens = whole(row["contextTokens"] ?? known.contextTokens, 1024, fault, ".contextTokens");
    const usual = contextTokens < SMALL_CONTEXT ? RESULT_CHARS_OF_SMALL : RESULT_CHARS;
    return {
      provider,
      model,
      contextTokens,
      maxOutputTokens: whole(row["maxOutputTokens"] ?? Math.min(known.maxOutputTokens, contextTokens), 64, fault, ".maxOutputTokens"),
      vision: flag(row["vision"] ?? known.vision, fault, ".vision"),
      tools: flag(row["tools"] ?? known.tools ?? true, fault, ".tools"),
      sampling: flag(row["sampling"] ?? known.sampling, fault, ".sampling"),
      resultChars: whole(row["resultChars"] ?? usual, 1000, fault, ".resultChars"),
      price: row["price"] === undefined ? builtInPrice(known.price) : row["price"] === null ? null : priceOf(row["price"], fault),
      source: file,
      asOf: "",
    };
  });
}

const ROW = ["provider", "model", "contextTokens", "maxOutputTokens", "vision", "tools", "sampling", "resultChars", "price"];
const TIER = ["input", "output", "cacheRead", "cacheWrite"];

type Fault = (problem: string) => ModelTableRefused;

function priceOf(value: unknown, fault: Fault): DollarPrice {
  const within: Fault = (problem) => fault(`.price${problem}`);
  const price = objectOf(value, [...TIER, "longPrompt"], within);
  const base = tierOf(price, within);
  if (price["longPrompt"] === undefined) return base;
  const inside: Fault = (problem) => within(`.longPrompt${problem}`);
  const tier = objectOf(price["longPrompt"], [...TIER, "above"], inside);
  return { ...base, longPrompt: { above: whole(tier["above"], 1, inside, ".above"), ...tierOf(tier, inside) } };
}

function tierOf(tier: Readonly<Record<string, unknown>>, fault: Fault): Omit<DollarPrice, "longPrompt"> {
  const input = dollars(tier["input"], fault, ".input");
  return {
    input,
    output: dollars(tier["output"], fault, ".output"),
    // A price without cache figures charges cached tokens as input.
    cacheRead: dollars(tier["cacheRead"] ?? input, fault, ".cacheRead"),
    cacheWrite: dollars(tier["cacheWrite"] ?? input, fault, ".cacheWrite"),
  };
}

function builtInPrice(price: ReturnType<typeof modelFacts>["price"]): DollarPrice | null {
  if (!price) return null;
  const { longPrompt, ...base } = price;
  return { ...inDollars(base), ...(longPrompt ? { longPrompt: { above: longPrompt.above, ...inDollars(longPrompt) } } : {}) };
}

function inDollars({ input, output, cacheRead, cacheWrite }: Omit<DollarPrice, "longPrompt">): Omit<DollarPrice, "longPrompt"> {
  return { input: input / 1e6, output: output / 1e6, cacheRead: cacheRead / 1e6, cacheWrite: cacheWrite / 1e6 };
}

function parsed(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw refused(file, "is not JSON");
  }
}

function member(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
}

function objectOf(value: unknown, names: readonly string[], fault: Fault): Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw fault(" must be an object");
  const odd = Object.keys(value).find((name) => !names.includes(name));
  if (odd !== undefined) throw fault(` has "${odd.slice(0, 40)}", which is unknown; it may have ${names.join(", ")}`);
  return value as Readonly<Record<string, unknown>>;
}

const isName = (value: unknown): value is string => typeof value === "string" && /^\S{1,200}$/.test(value);

function whole(value: unknown, least: number, fault: Fault, name: string): number {
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < least || value > 100_000_000)
    throw fault(`${name} must be a whole number from ${least} to 100000000`);
  return value;
}

function dollars(value: unknown, fault: Fault, name: string): number {
  if (typeof value !== "number" || !(value >= 0 && value <= 100_000)) throw fault(`${name} must be US dollars for a million tokens`);
  return value;
}

function flag(value: unknown, fault: Fault, name: string): boolean {
  if (typeof value !== "boolean") throw fault(`${name} must be true or false`);
  return value;
}

function refused(file: string, problem: string): ModelTableRefused {
  return new ModelTableRefused(`The model table ${file} (MODEL_TABLE_FILE) cannot be used: ${problem}.`);
}
