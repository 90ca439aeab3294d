/**
 * Encodes any text as a NATS header. A header may contain only printable ASCII and loses spaces at its ends. All other characters are percent-encoded
 * as UTF-8, as CloudEvents specifies. A lone surrogate becomes U+FFFD, because UTF-8 cannot express it.
 */
export function encodeText(text: string): string {
  if (!NEEDS_CODE.test(text)) return text;
  if (NEEDS_OTHER_CODE.test(text)) return text.toWellFormed().replaceAll(EACH_NEEDS_CODE, encodeURIComponent);
  // JSON needs no other codes, and each code in it would cost a call.
  return text.replaceAll("%", "%25").replaceAll('"', "%22").replaceAll(" ", "%20");
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
const NEEDS_OTHER_CODE = /[^ -~]/;
const EACH_NEEDS_CODE = /[^!#$&-~]/gu;
