/**
 * Any text as a header of NATS, which holds printable ASCII and loses spaces at its ends: the rest is percent-encoded as UTF-8, as CloudEvents
 * wants it. A surrogate that stands alone becomes U+FFFD: UTF-8 cannot say it.
 */
export function encodeText(text: string): string {
  return NEEDS_CODE.test(text) ? text.toWellFormed().replaceAll(EACH_NEEDS_CODE, encodeURIComponent) : text;
}

/** The text again. What is not encoded in that way came from another program and stays as it is. */
export function decodeText(header: string): string {
  if (!header.includes("%")) return header;
  try {
    return decodeURIComponent(header);
  } catch {
    return header;
  }
}

// Everything but ! # $ & to ~: spaces, quotes, percent signs, control characters and what is beyond ASCII.
const NEEDS_CODE = /[^!#$&-~]/;
const EACH_NEEDS_CODE = /[^!#$&-~]/gu;
