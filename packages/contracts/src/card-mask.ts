import type { ApprovalView } from "./approval-view.ts";
import type { ArgumentChange } from "./argument-changes.ts";
import type { Json } from "./json.ts";
import { maskPersonalData, type PersonalData } from "./personal-data.ts";
import { hideSecrets, isSecretName, SECRET_MARKER, secretsInChanges, secretTexts } from "./secret-arguments.ts";
import { visible } from "./tool-definition.ts";

/** The kinds of text that a card masks. A secret is the value of an argument whose name says so. */
export type Masked = PersonalData | "secret";

/** A text of an approval as a card shows it. */
export interface MaskedText {
  readonly text: string;
  readonly masked: readonly Masked[];
}

/** What a card shows in place of a whole secret. */
export const SECRET: MaskedText = { text: SECRET_MARKER, masked: ["secret"] };

/**
 * Masks the personal data in a text, and shows invisible characters as escapes. It hides no secrets: the agent chooses the arguments, so it could hide
 * a word of the effect or of a warning from the people who decide, by naming the word as a password.
 */
export function mask(text: string): MaskedText {
  return maskPersonalData(visible(text));
}

/** Masks a quoted message like `mask`, and hides the secrets of the arguments in it. People do not decide by the quotation alone. */
export function maskQuotation(text: string, { arguments: args, edited }: Pick<ApprovalView, "arguments" | "edited">): string {
  return mask(hideSecrets(visible(text), [...secretTexts(args), ...secretTexts(edited?.asked.arguments ?? null)])).text;
}

/** Returns the changes without the secrets in their values. Each value hides only the secrets that it names itself. */
export function withoutSecrets(changes: readonly ArgumentChange[]): readonly ArgumentChange[] {
  return changes.map((change) => {
    const { name, before, after } = change;
    const shown = (json: string): string => (isSecretName(name) ? SECRET_MARKER : hideSecrets(json, secretsInChanges([change])));
    return {
      name,
      ...(before === undefined ? {} : { before: shown(before) }),
      ...(after === undefined ? {} : { after: shown(after) }),
    };
  });
}

/**
 * Returns whether a secret argument with this value is masked as a whole. A number or a boolean is not a secret. Neither is an empty text, or a text
 * from which approvals has removed a credential.
 */
export function hidesWhole(value: Json): boolean {
  return typeof value === "object"
    ? value !== null && Object.keys(value).length > 0
    : typeof value === "string" && !["", "[redacted]"].includes(value);
}
