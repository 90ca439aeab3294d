import { type ApprovalToDecide, type ArgumentChange, argumentChanges, type JsonObject } from "@toolbus/contracts";
import { EXIT } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";

/** The arguments that an approver wants, and how they differ from those on the card. */
export interface EditedArguments {
  readonly arguments: JsonObject;
  readonly changes: readonly ArgumentChange[];
}

/**
 * Returns the arguments of the card, with the given arguments in place of those with the same names. Throws a Failure if the text is not an object or
 * changes nothing.
 */
export function editedArguments(
  { arguments: shown, argumentsMasked }: Pick<ApprovalToDecide, "arguments" | "argumentsMasked">,
  typed: string,
): EditedArguments {
  const given = objectIn(typed);
  if (shown === null || argumentsMasked)
    throw new Failure(
      EXIT.usage,
      "The card hides or escapes a part of the arguments, so --edit cannot keep it: ask for a revision, or send all arguments with the API.",
    );
  const edited = { ...shown, ...given };
  // Nothing needs a mask here. The card contains no credentials, and the approver typed the rest.
  const changes = argumentChanges(shown, edited, (text) => text);
  if (changes.length === 0)
    throw new Failure(EXIT.usage, "--edit names only values that the write has already: leave it out, or change one.");
  return { arguments: edited, changes };
}

/** Returns one line for each change, with the old and the new value. */
export function changeLines(changes: readonly ArgumentChange[]): string[] {
  return changes.map(({ name, before = "absent", after = "absent" }) => `${name}: ${before} → ${after}`);
}

function objectIn(typed: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(typed);
  } catch {
    value = null;
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new Failure(EXIT.usage, `--edit is not a JSON object: write the arguments that change, such as --edit '{"amount": 20}'.`);
  return value as JsonObject;
}
