const CENSOR = "[redacted]";

// Known forms of credentials, at the beginning of a word or of a part of one: `ap_sk-…` contains one. The text may be a line of JSON, where the
// preceding word may be an escape such as \n, whose last letter belongs to no word.
const SECRET_TEXT = new RegExp(
  [
    String.raw`(?:(?<![A-Za-z0-9])|(?<=\\[bfnrt])|(?<=\\u[0-9a-f]{4}))(?:`,
    [
      // With a digit, or long: "bearer authentication" is a subject, not a credential.
      String.raw`[Bb][Ee][Aa][Rr][Ee][Rr]\s+(?=[\w.~+/=-]*\d|[\w.~+/=-]{20})[\w.~+/=-]{8,}`,
      String.raw`[Bb]asic\s+(?=[\w+/]*[\d=])[\w+/]{8,}={0,2}`,
      // A JWS: our grants and receipts, and other people's tokens.
      String.raw`eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{10,}`,
      String.raw`tb_[a-z]+_[\w-]{16,}`,
      String.raw`sk-[\w-]{16,}`,
      String.raw`gh[pousr]_\w{16,}`,
      String.raw`xox[abprs]-[\w-]{10,}`,
      String.raw`AKIA[A-Z0-9]{16}\b`,
    ].join("|"),
    ")",
    // The user and password of an address.
    String.raw`|(?<=:\/\/)[^\s/@"\\]+:[^\s/@"\\]+(?=@)`,
    // As text or inside JSON, where its line ends are escapes. It never extends past a quote.
    String.raw`|-----BEGIN [A-Z ]*PRIVATE KEY-----(?:[\w+/=\s:,.-]|\\[nrt])*`,
  ].join(""),
  "g",
);

// Every form contains one of these. Most texts contain none, and this makes searching them three times as fast.
const MAYBE_SECRET = /[Ee][Aa][Rr][Ee][Rr]|asic\s|eyJ|tb_|sk-|gh[pousr]_|xox|AKIA|:\/\/|-----BEGIN/;

/** The text with everything replaced that looks like a credential; the same text if there is none. */
export function redactText(text: string): string {
  return MAYBE_SECRET.test(text) ? text.replace(SECRET_TEXT, CENSOR) : text;
}

/** The value with every text in it redacted, including names of fields. The same value if nothing in it looks like a credential. */
export function redacted<T>(value: T): T {
  const text = JSON.stringify(value);
  if (text === undefined) return value;
  // Replaced inside the JSON text: the replacement needs no escape, and a form never extends past a quote.
  const safe = redactText(text);
  return safe === text ? value : (JSON.parse(safe) as T);
}
