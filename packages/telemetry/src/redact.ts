const CENSOR = "[redacted]";

// Known forms of credentials, wherever a word or a part of one begins: `ap_sk-…` holds one. A line of JSON is read too: the word before may be an escape such as \n, whose last letter belongs to no word.
const SECRET_TEXT = new RegExp(
  [
    String.raw`(?:(?<![A-Za-z0-9])|(?<=\\[bfnrt])|(?<=\\u[0-9a-f]{4}))(?:`,
    [
      // With a digit, or long: "bearer authentication" is a subject, no credential.
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
    // As text or inside JSON, where its line ends are escapes; it never reaches over a quote.
    String.raw`|-----BEGIN [A-Z ]*PRIVATE KEY-----(?:[\w+/=\s:,.-]|\\[nrt])*`,
  ].join(""),
  "g",
);

// Every form holds one of these. Most texts hold none, and are looked through three times as fast for them.
const MAYBE_SECRET = /[Ee][Aa][Rr][Ee][Rr]|asic\s|eyJ|tb_|sk-|gh[pousr]_|xox|AKIA|:\/\/|-----BEGIN/;

/** The text with everything that looks like a credential replaced. The same text when there is none. */
export function redactText(text: string): string {
  return MAYBE_SECRET.test(text) ? text.replace(SECRET_TEXT, CENSOR) : text;
}

/** The value with every text in it redacted, names of fields included. The very same value when nothing in it looks like a credential. */
export function redacted<T>(value: T): T {
  const text = JSON.stringify(value);
  if (text === undefined) return value;
  // Censored inside the JSON text: what is put in needs no escape and a form never reaches over a quote.
  const safe = redactText(text);
  return safe === text ? value : (JSON.parse(safe) as T);
}
