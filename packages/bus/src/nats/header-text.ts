/**
 * Encodes any text as a NATS header. A header may contain only printable ASCII and loses spaces at its ends. All other characters are percent-encoded
 * as UTF-8, as CloudEvents specifies. A lone surrogate becomes U+FFFD, because UTF-8 cannot express it.
 */
export function encodeText(text: string): string {
  return NEEDS_CODE.test(text) ? text.toWellFormed().replaceAll(EACH_NEEDS_CODE, encodeURIComponent) : text;
}

/** Returns the decoded text. If the text does not have this encoding, another program wrote it, and it is returned unchanged. */
export function decodeText(header: string): string {
  if (!header.includes("%")) return header;
  try {
    return decodeURIComponent(header);
  } catch {
    return header;
  }
}

// The pattern matches every character except !, #, $ and those from & to ~. So it matches spaces, double quotes, percent signs, control characters
// and non-ASCII characters.
const NEEDS_CODE = /[^!#$&-~]/;
const EACH_NEEDS_CODE = /[^!#$&-~]/gu;
