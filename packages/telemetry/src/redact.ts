const CENSOR = "[redacted]";

// These are known forms of credentials. A form may begin at the start of a word, or inside one after an underscore, as in `ap_sk-…`. In a line of
// JSON an escape such as \n may precede the form, and the last letter of the escape belongs to no word.
const SECRET_TEXT = new RegExp(
  [
    String.raw`(?:(?<![A-Za-z0-9])|(?<=\\[bfnrt])|(?<=\\u[0-9a-f]{4}))(?:`,
    [
      // A credential has a digit or is long. "bearer authentication" is a subject, not a credential.
      String.raw`[Bb][Ee][Aa][Rr][Ee][Rr]\s+(?=[\w.~+/=-]*\d|[\w.~+/=-]{20})[\w.~+/=-]{8,}`,
      String.raw`[Bb]asic\s+(?=[\w+/]*[\d=])[\w+/]{8,}={0,2}`,
      // A JWS is one of our grants or receipts, or another program's token. Its first part ends where another may begin, so that no text is read twice.
      // The longest header that servers accept has 16 KiB. Without a limit, a long text would fill the engine's stack.
      String.raw`eyJ(?:(?![_-]eyJ)[\w-]){10,16384}\.[\w-]{10,}\.[\w-]{10,}`,
      String.raw`tb_[a-z]+_[\w-]{16,}`,
      String.raw`sk-[\w-]{16,}`,
      // A secret of webhooks, of ours and of Stripe's.
      String.raw`whsec_[\w+/]{16,}={0,2}`,
      String.raw`gh[pousr]_\w{16,}`,
      String.raw`github_pat_\w{16,}`,
      String.raw`glpat-[\w-]{16,}(?:\.\w+)*`,
      String.raw`xox[abprs]-[\w-]{10,}`,
      // The digit is the version of the token. "xapp-framework-cpp" is a package.
      String.raw`xapp-\d-[\w-]{10,}`,
      String.raw`A[KS]IA[A-Z0-9]{16}\b`,
      String.raw`AIza[\w-]{35,}`,
      String.raw`[rs]k_live_\w{16,}`,
      // The exact length keeps names such as npm_config_registry.
      String.raw`npm_[A-Za-z0-9]{36}\b`,
      String.raw`hf_[A-Za-z0-9]{34}\b`,
    ].join("|"),
    ")",
    // This matches the user and password of an address. The user has no colon, so that the engine tries only one end of it, and may be empty.
    String.raw`|(?<=:\/\/)[^\s/@":\\]*:[^\s/@"\\]+(?=@)`,
    // A key may be plain text or inside JSON, where its line ends are escapes. The match never extends past a quote.
    String.raw`|-----BEGIN [A-Z ]*PRIVATE KEY-----(?:[\w+/=\s:,.-]|\\[nrt])*`,
  ].join(""),
  "g",
);

// Every form contains a match of one of these. Most texts contain none, so this test makes the search three times as fast. One pattern with all of these
// words takes four times as long as two, because the engine then skips fewer characters.
const MAYBE_SECRET = /[Ee][Aa][Rr][Ee][Rr]|asic\s|eyJ|tb_|sk-|gh[pousr]_|xox|AKIA|:\/\/|-----BEGIN/;
const MAYBE_TOKEN = /whsec_|_pat_|glpat-|xapp-|ASIA|AIza|k_live_|npm_|hf_/;

/** The shortest address with a password is `://:p@`. */
const SHORTEST_SECRET = 6;

function maybeSecret(text: string): boolean {
  if (text.length < SHORTEST_SECRET) return false;
  return MAYBE_SECRET.test(text) || MAYBE_TOKEN.test(text);
}

/** Replaces everything in a text that looks like a credential. Returns the same text if there is none. */
export function redactText(text: string): string {
  return maybeSecret(text) ? text.replace(SECRET_TEXT, CENSOR) : text;
}

/** Redacts every text in a value, including names of fields. Returns the same value if nothing in it looks like a credential. */
export function redacted<T>(value: T): T {
  if (!mayHoldSecret(value)) return value;
  const text = JSON.stringify(value);
  if (text === undefined) return value;
  // The replacement happens inside the JSON text. This is safe, because `[redacted]` needs no escape and no form extends past a quote.
  const safe = redactText(text);
  return safe === text ? value : (JSON.parse(safe) as T);
}

/** Returns whether a text or a name of a field in the value may look like a credential. This is cheaper than to write the value as JSON. */
function mayHoldSecret(value: unknown): boolean {
  if (typeof value === "string") return maybeSecret(value);
  if (typeof value !== "object" || value === null) return false;
  // A value may choose another form for its JSON.
  if ("toJSON" in value) return true;
  if (Array.isArray(value)) return value.some(mayHoldSecret);
  for (const name of Object.keys(value))
    if (maybeSecret(name) || mayHoldSecret((value as Readonly<Record<string, unknown>>)[name])) return true;
  return false;
}
