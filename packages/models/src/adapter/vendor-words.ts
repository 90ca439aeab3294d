import { cleanText } from "../offline/clean-text.ts";

/** The provider that wrote the text, and the secret that the text must not contain. */
export interface Provider {
  /** The name as people write it. */
  readonly name: string;
  /** The setting that contains its key. */
  readonly keyVariable: string;
  /** The base address, or null for the vendor's own. */
  readonly baseUrl: string | null;
  /** The key, which is removed from every message. */
  readonly secret: string | null;
}

const MOST_CHARS = 300;
const LIKE_A_KEY = /\b(sk|gsk|xai|pk)-[A-Za-z0-9_*-]{6,}|\b(AKIA|ASIA)[A-Z0-9]{8,}|\bBearer\s+\S+/g;

/** Returns a vendor's text for our messages. It is one short line without the key and without anything that looks like a key. */
export function vendorWords(text: string, { secret }: Pick<Provider, "secret">): string {
  // Truncate first, so that the code does not process a whole HTML page. Keep more text than the message needs, because a key that is cut in half
  // would not be recognised and removed.
  const head = text.slice(0, MOST_CHARS * 8);
  const known = secret === null || secret === "" ? head : head.replaceAll(secret, "[key]");
  return cleanText(known.replace(LIKE_A_KEY, "[key]"), MOST_CHARS);
}
