import type { ApprovalView } from "./approval-view.ts";
import type { ArgumentChange } from "./argument-changes.ts";
import type { Json } from "./json.ts";
import { maskPersonalData, type PersonalData } from "./personal-data.ts";
import { hideSecrets, isSecretName, SECRET_MARKER, secretsInChanges, secretTexts } from "./secret-arguments.ts";
import { visible } from "./tool-definition.ts";

/** The kinds of text that a card masks. A secret is the value of an argument whose name says so. */
export type Masked = PersonalData | "secret";

/** Masks a text of one approval. */
export type Mask = (text: string) => { readonly text: string; readonly masked: readonly Masked[] };

/** What a card shows in place of a whole secret. */
export const SECRET: ReturnType<Mask> = { text: SECRET_MARKER, masked: ["secret"] };

/** The fields of an approval in which a mask looks for secrets. */
export type MaskedFields = Pick<ApprovalView, "arguments" | "edited" | "plan">;

/**
 * Returns the mask for the texts of an approval. It masks personal data and shows invisible characters as escapes. It also hides the secrets of the
 * arguments where another text repeats them, such as the effect or the quoted message.
 */
export function maskFor({ arguments: args, edited, plan }: MaskedFields): Mask {
  const changes = [...(plan?.changes ?? []), ...(plan?.drifted?.changes ?? [])];
  const secrets = [...secretTexts(args), ...secretTexts(edited?.asked.arguments ?? null), ...secretsInChanges(changes)];
  return (text) => {
    const shown = visible(text);
    const hidden = hideSecrets(shown, secrets);
    const { text: safe, masked } = maskPersonalData(hidden);
    return { text: safe, masked: hidden === shown ? masked : ["secret", ...masked] };
  };
}

/** Returns the changes without the values of secrets. */
export function withoutSecrets(changes: readonly ArgumentChange[]): readonly ArgumentChange[] {
  return changes.map((change) => {
    const { name, before, after } = change;
    if (!isSecretName(name)) return change;
    return {
      name,
      ...(before === undefined ? {} : { before: SECRET_MARKER }),
      ...(after === undefined ? {} : { after: SECRET_MARKER }),
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
