import { hash } from "node:crypto";
import { MAX_GUIDE_BYTES, MAX_SUMMARY } from "@toolbus/contracts";

/** The guide of a toolset, as its author wrote it. */
export interface ToolsetGuide {
  /** The first line of text after the heading. */
  readonly summary: string;
  /** The whole document, with its heading and its summary. */
  readonly markdown: string;
  /** `sha256-` and the hash of the document in hexadecimal digits. */
  readonly hash: string;
}

/**
 * Reads the guide of a toolset from its Markdown: a heading of the first level, an empty line, and a summary of one line. Throws a TypeError with one
 * sentence if the document has another form or is too long.
 */
export function toolsetGuide(toolset: string, markdown: string): ToolsetGuide {
  const refuse = (why: string): TypeError => new TypeError(`The guide of the toolset "${toolset}" ${why}.`);
  if (!markdown.isWellFormed()) throw refuse("is not valid Unicode text: save it as UTF-8");
  const bytes = Buffer.byteLength(markdown);
  if (bytes > MAX_GUIDE_BYTES) throw refuse(`has ${bytes} bytes: shorten it to ${MAX_GUIDE_BYTES}`);
  // Quotes and line ends take two bytes in JSON, so a short document may still not fit into the store.
  if (Buffer.byteLength(JSON.stringify(markdown)) > MAX_GUIDE_JSON) throw refuse("has too many quotes and line ends: shorten it");
  if (CONTROL.test(markdown)) throw refuse("contains control characters: remove them");
  const [heading = "", empty, summary = "", after = ""] = markdown.replaceAll("\r\n", "\n").split("\n");
  if (!/^# \S/.test(heading) || empty !== "" || !/^[^\s#]/.test(summary) || after !== "")
    throw refuse('must begin with a heading ("# Orders"), an empty line, a summary in one line and another empty line');
  if (summary.length > MAX_SUMMARY) throw refuse(`has a summary of ${summary.length} characters: shorten it to ${MAX_SUMMARY}`);
  return { summary, markdown, hash: `sha256-${hash("sha256", markdown)}` };
}

const MAX_GUIDE_JSON = MAX_GUIDE_BYTES + MAX_GUIDE_BYTES / 2;
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/;
