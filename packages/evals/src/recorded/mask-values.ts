import { hideSecrets, isJsonObject, isSecretName, type Json, maskPersonalData, SECRET_MARKER } from "@toolbus/contracts";

/** What was masked, with the number of texts in which it was. */
export type MaskedKinds = ReadonlyMap<string, number>;

/** A value without personal data and secrets. */
export interface MaskedValue<T> {
  readonly value: T;
  readonly masked: MaskedKinds;
}

/**
 * Returns a value with a marker in place of each e-mail address, IBAN, card number, phone number, credential and secret. Equal texts get equal
 * markers, so a call with a masked argument still matches its fixture. Names of members stay.
 */
export function maskValues<T>(value: T, secrets: readonly string[]): MaskedValue<T> {
  const masked = new Map<string, number>();
  const note = (kind: string): void => void masked.set(kind, (masked.get(kind) ?? 0) + 1);
  return { value: part(value as Json, false) as T, masked };

  function part(inner: Json, isInSecret: boolean): Json {
    if (typeof inner === "string") return text(inner, isInSecret);
    if (Array.isArray(inner)) return inner.map((one: Json) => part(one, isInSecret));
    if (!isJsonObject(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).map(([name, one]) => [name, part(one, isInSecret || isSecretName(name))]));
  }

  function text(said: string, isInSecret: boolean): string {
    if (isInSecret && said !== "" && said !== SECRET_MARKER) {
      note("secret");
      return SECRET_MARKER;
    }
    let hidden = hideSecrets(said, secrets);
    hidden = hidden.replace(CREDENTIAL, SECRET_MARKER);
    if (hidden !== said) note("secret");
    const { text: shown, masked: kinds } = maskPersonalData(hidden);
    for (const kind of kinds) note(kind);
    return shown;
  }
}

/** Keys of well-known vendors, tokens of three parts, and passwords in addresses. Every repetition has a limit. */
const CREDENTIAL =
  /\b(?:sk|pk|rk)-[A-Za-z0-9_-]{16,200}|\bgh[pousr]_[A-Za-z0-9]{20,255}|\bxox[abprs]-[A-Za-z0-9-]{10,200}|\bAKIA[0-9A-Z]{16}\b|\beyJ[A-Za-z0-9_-]{10,2000}\.[A-Za-z0-9_-]{10,4000}\.[A-Za-z0-9_-]{10,1000}|\btb_[a-z]{1,20}_[A-Za-z0-9_-]{16,200}|(?<=:\/\/[^\s/:@]{1,64}:)[^\s/@]{1,128}(?=@)/g;
