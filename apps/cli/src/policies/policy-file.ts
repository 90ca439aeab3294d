import { type Policy, policyOf, readPolicy } from "@toolbus/all-in-one/policy";
import type { Context } from "../toolbus/context.ts";
import { EXIT } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";
import { fileText } from "../toolbus/file-text.ts";

/** The values that apply if a policy does not set them. They are the defaults of approvals. */
export const DEFAULTS = { expiryMs: 15 * 60_000, remindPercent: 50 };

/** Returns the text of the file at the typed path. Throws a Failure if the file cannot be read. */
export function textOf(context: Pick<Context, "around">, typed: string, what: string): Promise<string> {
  return fileText(context, typed, what, EXIT.usage);
}

/** Returns the policy of a file. Throws a Failure with every fault and its line if the file cannot be used. */
export async function policyIn(context: Pick<Context, "around">, typed: string): Promise<Policy> {
  const read = readPolicy(await textOf(context, typed, "The policy file"), DEFAULTS);
  if (read.ok) return policyOf(read.file);
  const faults = read.faults.map(({ line, message }) => `line ${line}: ${message}`).join("; ");
  throw new Failure(EXIT.failed, `The policy file ${typed} cannot be used: ${faults}. Fix it; docs/policy.md explains every field.`);
}
