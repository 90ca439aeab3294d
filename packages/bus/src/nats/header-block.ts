/** The headers of one message, as pairs of name and value. A name may occur more than once. */
export type Headers = readonly (readonly [name: string, value: string])[];

/** The block before the body of a message. It contains the headers and, in a message of the server itself, a status. */
export interface HeaderBlock {
  /** The code of the status, or 0 if there is none. */
  readonly code: number;
  readonly description: string;
  readonly headers: Headers;
}

/**
 * Reads the bytes before the body, whoever wrote them. It skips lines that are not headers. The client's own reader is several times slower. That
 * reader also throws on input that the client itself would not write, and this ends the connection.
 */
export function readHeaderBlock(bytes: Uint8Array): HeaderBlock {
  if (bytes.length === 0) return NO_BLOCK;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
  const headers: [name: string, value: string][] = [];
  const firstEnd = endOfLine(text, 0);
  for (let start = firstEnd + 2; start < text.length;) {
    const end = endOfLine(text, start);
    const colon = text.indexOf(":", start);
    if (colon >= start && colon < end) headers.push([text.slice(start, colon), text.slice(colon + 1, end).trim()]);
    start = end + 2;
  }
  const status = text.slice(VERSION.length, firstEnd).trim();
  return status === "" ? { ...NO_BLOCK, headers } : { ...statusOf(status), headers };
}

/** Writes the bytes before the body. Names and values must be printable ASCII. */
export function writeHeaderBlock(headers: Headers): Uint8Array {
  let text = `${VERSION}\r\n`;
  for (const [name, value] of headers) text += `${name}: ${value}\r\n`;
  return Buffer.from(`${text}\r\n`, "latin1");
}

const VERSION = "NATS/1.0";
const NO_BLOCK: HeaderBlock = { code: 0, description: "", headers: [] };

function endOfLine(text: string, start: number): number {
  const end = text.indexOf("\r\n", start);
  return end < 0 ? text.length : end;
}

function statusOf(status: string): Pick<HeaderBlock, "code" | "description"> {
  const code = Number.parseInt(status, 10);
  return Number.isNaN(code) ? { code: 0, description: status } : { code, description: status.slice(String(code).length).trim() };
}
