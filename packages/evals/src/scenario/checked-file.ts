import { type Parsed, type Problem } from "@toolbus/contracts";
import { readYaml } from "@toolbus/runtime/yaml-text";

/** A file that was read, or one sentence with the fault, the file and the line. */
export type Checked<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: string };

/** The text of a file with its name, for messages. */
export interface NamedText {
  readonly file: string;
  readonly text: string;
}

/** The most faults that one sentence lists. */
const MOST_FAULTS = 5;

/** Reads the YAML of a file and checks it. `more` returns the faults that a schema cannot express. */
export function checkedFile<T>(
  { file, text }: NamedText,
  parse: (value: unknown) => Parsed<T>,
  more: (value: T) => readonly Problem[] = () => [],
): Checked<T> {
  const read = readYaml(text);
  if (!read.ok) return { ok: false, problem: `${file} cannot be used: ${listed(read.faults)}.` };
  const parsed = parse(read.value);
  const problems = parsed.ok ? more(parsed.value) : parsed.problems;
  if (parsed.ok && problems.length === 0) return { ok: true, value: parsed.value };
  const faults = problems.map(({ path, message }) => ({
    line: read.lineOf(path),
    message: path === "" ? `this ${message}` : `${path.slice(1).replaceAll("/", ".")} ${message}`,
  }));
  return { ok: false, problem: `${file} cannot be used: ${listed(faults)}.` };
}

function listed(faults: readonly { readonly line: number; readonly message: string }[]): string {
  const shown = [...new Set(faults.map(({ line, message }) => `line ${line}: ${message.replace(/\.$/, "")}`))];
  const more = shown.length - MOST_FAULTS;
  return `${shown.slice(0, MOST_FAULTS).join(", ")}${more > 0 ? `, and ${more} more` : ""}`;
}
