import type { JsonObject, RunRecord } from "@toolbus/contracts";
import { stringify } from "yaml";
import { type MaskedValue, maskValues } from "./mask-values.ts";
import { secretsIn } from "./secrets-in.ts";

/** Returns the profile of a record, as `file` has it, without personal data and secrets. They are masked as in the scenario of the record. */
export function profileOfRecord<T extends JsonObject>(record: RunRecord, file: T): MaskedValue<T> & { readonly yaml: string } {
  const masked = maskValues(file, secretsIn(record));
  return { ...masked, yaml: stringify(masked.value, { lineWidth: 120 }) };
}

/** Returns the text of a suite file that also names the folder of its profiles. The text that is there keeps its form and its comments. */
export function withProfilesFolder(suite: string): string {
  return `${suite}${suite === "" || suite.endsWith("\n") ? "" : "\n"}profiles: ./profiles\n`;
}
