import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { readPolicy } from "@toolbus/all-in-one/policy";
import type { ApprovalPolicyFile, PolicyNeeds } from "@toolbus/contracts";
import { DEFAULTS } from "../policies/policy-file.ts";
import { EXIT } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";

/** The policy of a suite: the settings of approvals, and the groups that approvers need so that they may decide. */
export interface SuitePolicy {
  readonly env: { readonly APPROVAL_POLICY_FILE?: string };
  readonly groups: readonly string[];
}

/**
 * Reads the policy file of a suite, and writes the policy that applies to the evaluation into the folder. It has no reminders and escalations, because
 * they decide nothing and their targets do not exist in an evaluation. Without a file the tiers decide. Throws a Failure if the file is not a policy.
 */
export async function suitePolicy(file: string | null, folder: string): Promise<SuitePolicy> {
  if (file === null) return { env: {}, groups: [] };
  const read = readPolicy(await readFile(file, "utf8"), DEFAULTS);
  if (!read.ok) {
    const faults = read.faults.map(({ line, message }) => `line ${line}: ${message}`).join("; ");
    throw new Failure(EXIT.failed, `The policy file ${file} cannot be used: ${faults}. Fix it; docs/policy.md explains every field.`);
  }
  const applied = path.join(folder, "policy.yaml");
  // JSON is YAML.
  await writeFile(applied, JSON.stringify(withoutNotices(read.file)));
  return { env: { APPROVAL_POLICY_FILE: applied }, groups: groupsIn(read.file) };
}

/** Needs may not be empty, so a reminder that never comes takes the place of an escalation. */
function withoutNotices({ tiers = {}, rules = [], ...rest }: ApprovalPolicyFile): ApprovalPolicyFile {
  const quiet = ({ escalate: _, ...needs }: PolicyNeeds): PolicyNeeds => ({ ...needs, remind: 0 });
  return {
    ...rest,
    tiers: Object.fromEntries(Object.entries(tiers).map(([tier, needs]) => [tier, quiet(needs)])),
    rules: rules.map(({ needs, ...rule }) => ({ ...rule, ...(needs === undefined ? {} : { needs: quiet(needs) }) })),
  };
}

function groupsIn({ tiers = {}, rules = [] }: ApprovalPolicyFile): readonly string[] {
  const needs = [...Object.values(tiers), ...rules.map((rule) => rule.needs ?? {})];
  const named = needs.flatMap(({ from = [], groups = {} }) => [
    ...Object.keys(groups),
    ...from.flatMap((entry) => (entry.startsWith("group:") ? [entry.slice("group:".length)] : [])),
  ]);
  return [...new Set(named)];
}
