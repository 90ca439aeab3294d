import { isJsonObject, isSecretName, type Json } from "@toolbus/contracts";
import type { Question } from "./question.ts";

/**
 * Returns whether a question asks for a secret, such as a password, a token, an API key or the number of a card. It looks at the message, at the
 * names, titles and descriptions of the fields, and at formats. A question in other words is not found, so people must still judge whom they answer.
 */
export function asksForSecret({ message, form }: Pick<Question, "message" | "form">): boolean {
  return isSecretText(message) || textsOf(form, false).some((text) => isSecretText(text)) || fieldsOf(form).some(isSecretField);
}

const SECRET =
  /\b(?:pass ?(?:words?|wd|codes?|phrases?)|pwd|api ?keys?|(?:access|auth|authentication|authorization|bearer|refresh|session|security|personal access) ?tokens?|(?:secret|private|signing|encryption|recovery) ?(?:keys?|phrases?|codes?)|client ?secrets?|credentials?|(?:credit|debit|bank|payment) ?cards?|card ?(?:numbers?|no)|cvv2?|cvc2?|security codes?|one time (?:codes?|passwords?)|otp|verification codes?|seed phrases?|pin (?:codes?|numbers?)|social security|ssn|iban)\b/;

/** Names of fields that are secrets although `isSecretName` does not know them. */
const SECRET_FIELD = /(?:^| )(?:pin|cvv2?|cvc2?|otp|card ?(?:number|no)|ssn|iban|auth)(?: |$)/;

function isSecretText(text: string): boolean {
  return SECRET.test(plain(text));
}

/** Returns a text in lower case, with its words separated by single spaces and without characters that only look different. */
function plain(text: string): string {
  return text
    .normalize("NFKC")
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replaceAll(/[\u00ad\u200b-\u200f\u2060\ufeff]/g, "")
    .replaceAll(/[\s_-]+/g, " ")
    .toLowerCase();
}

function isSecretField([name, schema]: readonly [string, Json]): boolean {
  if (isSecretName(name) || SECRET_FIELD.test(plain(name)) || isSecretText(name)) return true;
  return isJsonObject(schema) && (schema["format"] === "password" || schema["writeOnly"] === true);
}

function fieldsOf(form: Json): readonly (readonly [string, Json])[] {
  const properties = isJsonObject(form) ? form["properties"] : undefined;
  return properties !== undefined && isJsonObject(properties) ? (Object.entries(properties) as [string, Json][]) : [];
}

/** Returns all titles and descriptions of a form, at any place. */
function textsOf(part: Json, isText: boolean): readonly string[] {
  if (typeof part === "string") return isText ? [part] : [];
  if (typeof part !== "object" || part === null) return [];
  if (Array.isArray(part)) return part.flatMap((each: Json) => textsOf(each, false));
  return Object.entries(part).flatMap(([key, value]) => textsOf(value as Json, key === "title" || key === "description"));
}
