import { type Document, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument } from "yaml";

/** A fault in a file, and the line where it is. */
export interface FileFault {
  readonly line: number;
  readonly message: string;
}

/** The value of a YAML text. `lineOf` returns the line of the part that a JSON Pointer names, or of the nearest existing part around it. */
export type YamlText =
  | { readonly ok: true; readonly value: unknown; readonly lineOf: (pointer: string) => number }
  | { readonly ok: false; readonly faults: readonly FileFault[] };

/** Reads YAML 1.2 that a person wrote. A duplicate key, a second document or a tag is a fault. Never throws. */
export function readYaml(text: string): YamlText {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, stringKeys: true, version: "1.2", merge: false });
  const broken = [...document.errors, ...document.warnings];
  if (broken.length > 0)
    return {
      ok: false,
      faults: broken.map(({ message, pos }) => ({ line: lines.linePos(pos[0]).line, message: `this is not YAML: ${message}` })),
    };
  const lineOf = (pointer: string): number => lines.linePos(startOf(document, pointer)).line;
  try {
    return { ok: true, value: document.toJS(), lineOf };
  } catch (error) {
    // The YAML library limits the expansion of aliases, and throws above the limit.
    return { ok: false, faults: [{ line: 1, message: `cannot be read: ${error instanceof Error ? error.message : "unknown"}` }] };
  }
}

function startOf(document: Document, pointer: string): number {
  let node: unknown = document.contents;
  let start = 0;
  for (const escaped of pointer.split("/").slice(1)) {
    const member = escaped.replaceAll("~1", "/").replaceAll("~0", "~");
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === member);
      if (!pair) return start;
      start = beginOf(pair.key) ?? start;
      node = pair.value;
    } else if (isSeq(node)) {
      node = node.items[Number(member)];
      start = beginOf(node) ?? start;
    } else return start;
  }
  return start;
}

function beginOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}
