import { defineTool, type Tool } from "@toolbus/tool-kit";

/** Checks the form and the check digits (ISO 13616, modulo 97). It reads nothing outside its arguments, so it is a compute. */
export const validateIban: Tool = defineTool({
  name: "validate_iban",
  description:
    "Checks the form and the check digits of an IBAN, e.g. DE89 3704 0044 0532 0130 00. Output: valid, and the reason if it is not. Not for finding out whether an account exists.",
  kind: "compute",
  parameters: {
    type: "object",
    properties: { iban: { type: "string", minLength: 1, maxLength: 42 } },
    required: ["iban"],
    additionalProperties: false,
  },
  scopes: ["tools:read"],
  owner: "payments",
  run: ({ iban }: { readonly iban: string }) => {
    const reason = ibanFault(iban.replaceAll(" ", "").toUpperCase());
    return reason === null ? { valid: true } : { valid: false, reason };
  },
});

/** The length of an IBAN in each country that the shop sends money to. For any other country, only the check digits are checked. */
const LENGTHS: Readonly<Record<string, number>> = { AT: 20, CH: 21, DE: 22, ES: 24, FR: 27, GB: 22, IT: 27, NL: 18 };

function ibanFault(iban: string): string | null {
  if (!/^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$/.test(iban)) return "It is not two letters, two digits and 11 to 30 letters or digits.";
  const country = iban.slice(0, 2);
  const length = LENGTHS[country];
  if (length !== undefined && iban.length !== length) return `An IBAN of ${country} has ${length} characters, not ${iban.length}.`;
  return remainder(iban.slice(4) + iban.slice(0, 4)) === 1 ? null : "Its check digits are wrong.";
}

/** Returns the remainder modulo 97. A letter counts as a number from 10 (A) to 35 (Z). */
function remainder(text: string): number {
  let rest = 0;
  for (const character of text) for (const digit of String(Number.parseInt(character, 36))) rest = (rest * 10 + Number(digit)) % 97;
  return rest;
}
