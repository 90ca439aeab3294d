import type { ArgumentChange } from "./argument-changes.ts";
import type { Json, JsonObject } from "./json.ts";

/**
 * Returns whether the name of an argument says that its value is a secret, such as `password`, `api_token` or `clientSecret`. Names of positions in a
 * list, such as `page_token`, are not secrets.
 */
export function isSecretName(name: string): boolean {
  const words = name.replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2").toLowerCase();
  return SECRET_NAME.test(words) && !POSITION_NAME.test(words);
}

/**
 * Returns the secrets in arguments: each text whose own name, or the name of a part around it, is the name of a secret. The texts of `[redacted]`
 * are left out, because they no longer contain anything.
 */
export function secretTexts(args: JsonObject | null): readonly string[] {
  return args === null ? [] : [...new Set(Object.entries(args).flatMap(([name, part]) => textsIn(name, part, false)))];
}

/** Returns the secrets in the values of changes, which are JSON texts. A truncated value is not JSON, so its secrets are not found. */
export function secretsInChanges(changes: readonly ArgumentChange[]): readonly string[] {
  return changes.flatMap(({ name, before, after }) => [before, after].flatMap((json) => secretTexts({ [name]: parsed(json) })));
}

/** Replaces each secret in a text with a marker, also where JSON escapes its characters. Secrets of under six characters stay, because they may be words. */
export function hideSecrets(text: string, secrets: readonly string[]): string {
  return secrets
    .filter(({ length }) => length >= SHORTEST)
    .toSorted((a, b) => b.length - a.length)
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)])
    .reduce((hidden, secret) => hidden.replaceAll(secret, SECRET_MARKER), text);
}

/** The text that a card shows in place of a secret. */
export const SECRET_MARKER = "[masked: secret]";

const SECRET_NAME =
  /(?:^|[_\W])(?:pass(?:word|wd|code|phrase)|pwd|secrets?|tokens?|credentials?|authorization|api_?keys?|(?:private|secret|access|signing|encryption)_?keys?)$/;
const POSITION_NAME = /(?:page|next|previous|prev|continuation|cursor|sync|max|output|input)_tokens?$/;
const SHORTEST = 6;

function textsIn(name: string, value: Json, isInSecret: boolean): readonly string[] {
  const isSecret = isInSecret || isSecretName(name);
  if (typeof value === "string") return isSecret && value !== "" && value !== "[redacted]" ? [value] : [];
  if (typeof value !== "object" || value === null) return [];
  // The items of a list have no names of their own.
  return Array.isArray(value)
    ? value.flatMap((part: Json) => textsIn("", part, isSecret))
    : Object.entries(value).flatMap(([inner, part]) => textsIn(inner, part as Json, isSecret));
}

function parsed(json: string | undefined): Json {
  try {
    return json === undefined ? null : (JSON.parse(json) as Json);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
