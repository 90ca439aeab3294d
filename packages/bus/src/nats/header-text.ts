/**
 * Any text as a NATS header, which may contain only printable ASCII and loses spaces at its ends: the rest is percent-encoded as UTF-8, as CloudEvents
 * specifies. A lone surrogate becomes U+FFFD, because UTF-8 cannot express it.
 */
export function encodeText(text: string): string {
  return NEEDS_CODE.test(text) ? text.toWellFormed().replaceAll(EACH_NEEDS_CODE, encodeURIComponent) : text;
}

/** The decoded text. Text that is not encoded in this way came from another program and stays as it is. */
export function decodeText(header: string): string {
  if (!header.includes("%")) return header;
  try {
    return decodeURIComponent(header);
  } catch {
    return header;
  }
}

// Everything except ! # $ & to ~: spaces, quotes, percent signs, control characters and non-ASCII.
const NEEDS_CODE = /[^!#$&-~]/;
const EACH_NEEDS_CODE = /[^!#$&-~]/gu;
