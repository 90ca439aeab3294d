import { XMLParser } from "fast-xml-parser";
import { line } from "../clean-text.ts";
import { readBounded } from "./bounded-file.ts";
import { fieldsOf, listOf } from "./foreign-json.ts";

/** How many of the lines of each file the tests executed. The files with the most lines that no test executed come first. */
export interface Coverage {
  readonly format: "cobertura" | "lcov";
  readonly covered: number;
  readonly total: number;
  readonly files: readonly CoveredFile[];
}

export interface CoveredFile {
  readonly path: string;
  readonly covered: number;
  readonly total: number;
}

type Outcome = { readonly ok: true; readonly coverage: Coverage } | { readonly ok: false; readonly message: string };

const MAX_BYTES = 32 * 1024 * 1024;
const MOST_FILES = 50_000;

/** Reads a Cobertura XML or an lcov file of at most 32 MiB. Any other or torn file is refused with one sentence. */
export async function readCoverage(file: string): Promise<Outcome> {
  const read = await readBounded(file, MAX_BYTES);
  if (!read.ok) return read;
  const isXml = read.text.trimStart().startsWith("<");
  const lines = isXml ? coberturaOf(read.text) : lcovOf(read.text);
  if (typeof lines === "string") return { ok: false, message: `${file} ${lines}` };
  if (lines.size === 0) return { ok: false, message: `${file} has no file with lines.` };
  if (lines.size > MOST_FILES) return { ok: false, message: `${file} has more than ${MOST_FILES} files, which is too much to read.` };
  const files = [...lines]
    .map(([path, hits]) => ({ path, covered: [...hits.values()].filter((hit) => hit).length, total: hits.size }))
    .toSorted((a, b) => b.total - b.covered - (a.total - a.covered) || (a.path < b.path ? -1 : 1));
  const sum = (field: "covered" | "total") => files.reduce((all, one) => all + one[field], 0);
  return { ok: true, coverage: { format: isXml ? "cobertura" : "lcov", covered: sum("covered"), total: sum("total"), files } };
}

/** For each file, its lines, and whether a test executed each of them. A file may occur several times, with a part of its lines each. */
type Lines = Map<string, Map<number, boolean>>;

function note(lines: Lines, path: string, number: number, hits: number): void {
  const own = lines.get(path) ?? new Map<number, boolean>();
  own.set(number, hits > 0 || own.get(number) === true);
  lines.set(path, own);
}

/** Returns the lines, or what is wrong as the end of a sentence. */
function lcovOf(text: string): Lines | string {
  const lines: Lines = new Map();
  let path: string | undefined;
  for (const [index, record] of text.split("\n").entries()) {
    const [, name, value = ""] = /^([A-Z]{2,4}):(.*?)\r?$/.exec(record) ?? [];
    if (name === "SF") path = line(value, 400);
    else if (name === "DA") {
      const [, number, hits] = /^(\d{1,9}),(\d{1,15})(?:,.*)?$/.exec(value) ?? [];
      if (path === undefined || number === undefined) return `is not lcov in line ${index + 1}.`;
      note(lines, path, Number(number), Number(hits));
    } else if (/^end_of_record\r?$/.test(record)) path = undefined;
    else if (name === undefined && record.trim() !== "" && !record.startsWith("#")) return `is not lcov in line ${index + 1}.`;
  }
  // A file that was cut off would look like a file with fewer lines.
  return path === undefined ? lines : "ends in the middle of a record, so a part of it is missing.";
}

const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: "@",
  parseTagValue: false,
  parseAttributeValue: false,
  processEntities: false,
  isArray: (name, _path, _leaf, isAttribute) => !isAttribute && (name === "package" || name === "class" || name === "line"),
});

function coberturaOf(text: string): Lines | string {
  if (text.slice(0, text.indexOf("<coverage") + 1 || text.length).includes("<!ENTITY")) return "declares XML entities, which are not read.";
  let root;
  try {
    root = fieldsOf(fieldsOf(parser.parse(text, true))?.["coverage"]);
  } catch {
    return "is not well-formed XML.";
  }
  if (!root) return "is XML but not a Cobertura report.";
  const lines: Lines = new Map();
  for (const part of listOf(fieldsOf(root["packages"])?.["package"]) ?? []) {
    for (const one of listOf(fieldsOf(fieldsOf(part)?.["classes"])?.["class"]) ?? []) {
      const fields = fieldsOf(one);
      const path = fields?.["@filename"];
      if (typeof path !== "string") return "has a class without a file name.";
      for (const entry of listOf(fieldsOf(fields?.["lines"])?.["line"]) ?? []) {
        const { "@number": number, "@hits": hits } = fieldsOf(entry) ?? {};
        if (!/^\d{1,9}$/.test(String(number)) || !/^\d{1,15}$/.test(String(hits))) return "has a line without a number or hits.";
        note(lines, line(path, 400), Number(number), Number(hits));
      }
    }
  }
  return lines;
}
