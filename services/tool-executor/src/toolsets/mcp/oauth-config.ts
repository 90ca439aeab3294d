import { isJsonObject, type Json } from "@toolbus/contracts";

/** The client credentials with which the bridge gets tokens for a remote server (RFC 6749, section 4.4). */
export interface OAuthClient {
  readonly clientId: string;
  readonly clientSecret: string;
  /** The scopes to ask for, separated by spaces. */
  readonly scope?: string;
  /** The token endpoint. With it, the bridge discovers nothing. */
  readonly tokenUrl?: string;
  /** The only authorization server that may get the secret. */
  readonly issuer?: string;
}

const WORDS = ["clientId", "clientSecret", "scope", "tokenUrl", "issuer"] as const;
type Word = (typeof WORDS)[number];

/**
 * Reads `oauth` of an entry. `filled` replaces the variables in a text, and `fault` makes the error for a sentence about the server. No error
 * quotes a value.
 */
export function oauthOf(
  value: Json | undefined,
  { filled, fault }: { readonly filled: (text: string, place: string) => string; readonly fault: (sentence: string) => Error },
): OAuthClient | undefined {
  if (value === undefined) return undefined;
  if (!isJsonObject(value)) throw fault('needs "oauth" as an object: write {"clientId": "…", "clientSecret": "${SECRET}"}');
  // An unknown word is refused, because a misspelled "issuer" would not limit who gets the secret.
  if (Object.keys(value).some((word) => !WORDS.some((known) => known === word)))
    throw fault(`has an unknown word in "oauth": use ${WORDS.join(", ")}`);
  const read = (word: Word): string | undefined => {
    const text = value[word];
    if (text === undefined) return undefined;
    if (typeof text !== "string" || text.trim() === "") throw fault(`needs "oauth.${word}" as a text that is not empty`);
    return filled(text, `oauth.${word}`);
  };
  const demanded = (word: Word): string => {
    const text = read(word);
    if (text === undefined)
      throw fault(
        `needs "oauth.${word}": write the ${word === "clientId" ? "id" : "secret"} that the authorization server gave to Toolbus`,
      );
    return text;
  };
  const address = (word: Word): string | undefined => {
    const text = read(word);
    if (text !== undefined && !isSafe(text)) throw fault(`needs "oauth.${word}" as an address that begins with https://`);
    return text;
  };
  const [clientId, clientSecret, scope] = [demanded("clientId"), demanded("clientSecret"), read("scope")];
  const [tokenUrl, issuer] = [address("tokenUrl"), address("issuer")];
  if (tokenUrl !== undefined && issuer !== undefined) throw fault('has "oauth.tokenUrl" and "oauth.issuer": keep one of them');
  return {
    clientId,
    clientSecret,
    ...(scope === undefined ? {} : { scope }),
    ...(tokenUrl === undefined ? {} : { tokenUrl }),
    ...(issuer === undefined ? {} : { issuer }),
  };
}

/** Returns whether a secret may be sent to this address. Without TLS, only the own machine may get it. */
function isSafe(address: string): boolean {
  const url = URL.parse(address);
  return url?.protocol === "https:" || (url?.protocol === "http:" && LOOPBACK.has(url.hostname));
}

const LOOPBACK: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);
