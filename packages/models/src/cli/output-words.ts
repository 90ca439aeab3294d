const MAX_CHARS = 300;

// The usual forms of credentials. The credentials in the process's own environment are removed by value. Every part ends where another form may begin,
// so that the time grows with the length of the text and not with its square.
const SECRET =
  /\b(?:sk-[\w-]{8,}|gh[pousr]_\w{8,}|github_pat_\w{8,}|A[KS]IA[A-Z0-9]{12,}|AIza[\w-]{35,}|hf_[A-Z0-9]{34}\b|eyJ(?:(?!-eyJ)[\w-]){10,16384}\.[\w-]+\.[\w-]+)|\b(bearer|basic)\s+[\w.~+/=-]{8,}|(?<=:\/\/)[^\s/@":]*:[^\s/@"]+(?=@)/gi;

/** Returns the end of a program's output as one plain line for people, without credentials, control characters and line breaks. */
export function outputWords(text: string, secrets: readonly string[]): string {
  const censored = secrets
    .toSorted((a, b) => b.length - a.length)
    .reduce((left, secret) => (secret === "" ? left : left.replaceAll(secret, "[redacted]")), text)
    .replace(SECRET, "[redacted]");
  const line = censored
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, " ")
    .trim()
    .toWellFormed();
  return line.length <= MAX_CHARS ? line : `…${line.slice(1 - MAX_CHARS).toWellFormed()}`;
}
