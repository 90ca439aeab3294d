/** Returns the identifiers of published vulnerabilities in a text, each once: of CVE, GitHub, its Security Lab, Go, RustSec and PyPA. */
export function advisoryIds(text: string): readonly string[] {
  return [...new Set([...text.matchAll(ID)].map(([id]) => id))];
}

const ID =
  /\b(?:CVE-\d{4}-\d{4,7}|GHSA(?:-[23456789cfghjmpqrvwx]{4}){3}|GHSL-\d{4}-\d{3,5}|GO-\d{4}-\d{4,5}|RUSTSEC-\d{4}-\d{4}|PYSEC-\d{4}-\d{1,6})\b/gi;
