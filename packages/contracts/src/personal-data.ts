/** The kinds of personal data that a card masks. */
export type PersonalData = "e-mail address" | "IBAN" | "card number" | "phone number";

export interface MaskedText {
  /** The text with a marker in place of each piece of personal data, such as `[masked: e-mail address, …@example.com]`. */
  readonly text: string;
  /** What was masked, each kind once. Empty if the text is unchanged. */
  readonly masked: readonly PersonalData[];
}

/**
 * Masks e-mail addresses, IBANs, card numbers and phone numbers in a text. A marker keeps the part that an approver needs to recognise the value: the
 * domain of an address, or the last digits of a number. The search takes time linear in the length of the text.
 */
export function maskPersonalData(text: string): MaskedText {
  const masked = new Set<PersonalData>();
  const mark = (kind: PersonalData, hint: string): string => {
    masked.add(kind);
    return `[masked: ${kind}, …${hint}]`;
  };
  // The markers contain no digits of a whole number and no whole address, so a later search does not mask a part of a marker again.
  const shown = text
    .replace(EMAIL, (_whole, domain: string) => mark("e-mail address", domain))
    .replace(IBAN, (whole) => (isIban(whole) ? mark("IBAN", lastDigits(whole, 4)) : whole))
    .replace(CARD, (whole) => (isCard(whole) ? mark("card number", lastDigits(whole, 4)) : whole))
    .replace(PHONE, (whole) => mark("phone number", lastDigits(whole, 2)));
  return { text: shown, masked: [...masked] };
}

// Every repetition has a limit, so that a long text that matches almost everywhere costs little. RFC 5321 has the limits of an address.
const EMAIL = /[\p{L}\p{M}\p{N}._%+'-]{1,64}(@[\p{L}\p{M}\p{N}-]{1,63}(?:\.[\p{L}\p{M}\p{N}-]{1,63}){1,8})/gu;
const IBAN = /(?<![\p{L}\p{N}])[A-Z]{2}\d{2}(?:[ -]?[A-Z0-9]){11,30}(?![\p{L}\p{N}])/giu;
const CARD = /(?<![\p{L}\p{N}])[2-6]\d{3}(?:[ -]?\d){9,15}(?![\p{L}\p{N}])/gu;
const PHONE = new RegExp(
  [
    // +49 30 1234567, 0049 (0)30-1234567
    String.raw`(?<![\p{L}\p{N}])(?:\+|00)[1-9](?:[ ()./-]{0,2}\d){6,13}`,
    // (030) 123 45 67, (555) 123-4567
    String.raw`(?<![\p{L}\p{N}])\(\d{2,5}\)[ -]?\d(?:[ /-]?\d){4,9}`,
    // 030 1234567, 0171/123456
    String.raw`(?<![\p{L}\p{N}.,:/-])0[1-9]\d{1,3}[ /-]\d(?:[ -]?\d){4,8}`,
    // 555-123-4567, 555.123.4567
    String.raw`(?<![\p{L}\p{N}.,:/-])[2-9]\d{2}([-. ])\d{3}\1\d{4}`,
  ]
    .map((form) => `(?:${form}(?![\\p{L}\\p{N}]))`)
    .join("|"),
  "gu",
);

/** Returns whether the check digits are right (ISO 7064, modulo 97). Because of this check, an order number of the same form stays readable. */
function isIban(text: string): boolean {
  const plain = text.replace(/[ -]/g, "").toUpperCase();
  let rest = 0;
  for (const character of plain.slice(4) + plain.slice(0, 4)) {
    const value = Number.parseInt(character, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest === 1;
}

/** Returns whether the check digit is right (Luhn). */
function isCard(text: string): boolean {
  const digits = text.replace(/\D/g, "");
  if (digits.length < 13 || digits.length > 19) return false;
  let sum = 0;
  for (const [n, digit] of Array.from(digits).toReversed().entries()) {
    const value = Number(digit) * (n % 2 === 1 ? 2 : 1);
    sum += value > 9 ? value - 9 : value;
  }
  return sum % 10 === 0;
}

function lastDigits(text: string, count: number): string {
  return text.replace(/[^A-Za-z0-9]/g, "").slice(-count);
}
