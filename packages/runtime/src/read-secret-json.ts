import { describeProblems, type Json } from "@toolbus/contracts";
import { KeyRefused, parseStrictJson, readPrivateFile } from "@toolbus/grants";
import { Refusal } from "./refusal.ts";

/** A JSON file with secrets: its path, what it is in a sentence ("The file of …"), and the setting that names it. */
export interface SecretJsonFile {
  readonly file: string;
  readonly what: string;
  readonly setting: string;
}

/**
 * Reads a JSON file that contains secrets. Throws a `Refusal` of one sentence if the file is missing, if others may read it, or if it is not strict JSON.
 * The sentence contains nothing of the file's values.
 */
export async function readSecretJson(named: SecretJsonFile): Promise<Json> {
  const { file, what } = named;
  const text = await textOf(named);
  const json = parseStrictJson(text);
  if (json.ok) return json.value;
  const place = syntaxFault(text);
  throw new Refusal(
    place === null ? `${what} ${file} cannot be used: ${describeProblems(json.problems)}.` : `${what} ${file} is not JSON: ${place}.`,
  );
}

async function textOf({ file, what, setting }: SecretJsonFile): Promise<string> {
  let text: string | null;
  try {
    text = await readPrivateFile({ file, what });
  } catch (error) {
    if (error instanceof KeyRefused) throw new Refusal(error.message);
    throw new Refusal(`${what} ${file} cannot be read (${(error as NodeJS.ErrnoException).code ?? "unknown"}): correct ${setting}.`);
  }
  if (text !== null) return text;
  throw new Refusal(`There is no ${what.replace(/^The /, "")} at ${file} (${setting}); make it, or leave the setting empty.`);
}

/** Returns where a text is no JSON, or null if it is JSON. The parser's own message would quote the text, which has secrets. */
function syntaxFault(text: string): string | null {
  try {
    JSON.parse(text);
    return null;
  } catch (error) {
    const [, line, column] = /\(line (\d+) column (\d+)\)/.exec(error instanceof Error ? error.message : "") ?? [];
    return line === undefined ? "it ends too early" : `correct it at line ${line}, column ${column}`;
  }
}
