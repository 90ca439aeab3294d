import { type ApprovalPolicyFile, parseApprovalPolicyFile, type Problem } from "@toolbus/contracts";
import { type FileFault, readYaml } from "@toolbus/runtime/yaml-text";
import type { PolicyDefaults } from "./judge-policy.ts";
import { type KnownNames, policyProblems } from "./policy-problems.ts";

export type ReadPolicy =
  | { readonly ok: true; readonly file: ApprovalPolicyFile }
  | { readonly ok: false; readonly faults: readonly FileFault[] };

/** The most characters of a policy file. */
export const MOST_POLICY_CHARS = 64 * 1024;

/**
 * Reads a policy from YAML text. An unknown field, a duplicate key or a name that the file does not define is a fault. Returns every fault with its
 * line, in words for the author of the file. Never throws.
 */
export function readPolicy(text: string, defaults: PolicyDefaults, known: KnownNames = { targets: null }): ReadPolicy {
  if (text.length > MOST_POLICY_CHARS)
    return { ok: false, faults: [{ line: 1, message: `this has ${text.length} characters; ${MOST_POLICY_CHARS} are the most` }] };
  const read = readYaml(text);
  if (!read.ok) return read;
  const parsed = parseApprovalPolicyFile(read.value);
  const problems = parsed.ok ? policyProblems(parsed.value, defaults, known) : parsed.problems;
  if (!parsed.ok || problems.length > 0) return { ok: false, faults: faultsOf(problems, read.lineOf) };
  return { ok: true, file: parsed.value };
}

/** Returns the faults as one line: `line 3: …; line 5: …`. */
export function faultsInWords(faults: readonly FileFault[]): string {
  return faults.map(({ line, message }) => `line ${line}: ${message}`).join("; ");
}

function faultsOf(problems: readonly Problem[], lineOf: (pointer: string) => number): readonly FileFault[] {
  const byMessage = new Map(problems.map((problem) => [inWords(problem), { line: lineOf(problem.path), message: inWords(problem) }]));
  return [...byMessage.values()].toSorted((a, b) => a.line - b.line);
}

function inWords({ path, message }: Problem): string {
  if (path === "") return message.startsWith("must ") ? 'this is not a policy: it begins with "version: 1"' : `this ${message}`;
  const known = /^must (match|have a valid)/.test(message) ? MEANINGS.find(({ field }) => field.test(path)) : undefined;
  return `${path.slice(1).replaceAll("/", ".").replaceAll("~1", "/").replaceAll("~0", "~")} ${known?.meaning ?? message}`;
}

/** The descriptions of fields for which the schema's own message would show a regular expression. */
const MEANINGS: readonly { readonly field: RegExp; readonly meaning: string }[] = [
  { field: /\/expires$/, meaning: "must be a time such as 90m, 4h or 2d" },
  { field: /\/(tools|writeTools)\/\d+$/, meaning: 'must be a tool ("issue_refund"), "toolset:orders" or "source:mcp:crm"' },
  { field: /\/from\/\d+$/, meaning: 'must be "approver:ana", "group:finance", "role:approver" or "scope:approve:high"' },
  { field: /^\/hours\/[^/]+\/(from|to)$/, meaning: 'must be a time of day in quotes, such as "08:30"' },
  { field: /\/name$/, meaning: "must be lower-case letters, digits and hyphens, 63 at most" },
  { field: /\/hours$/, meaning: "must be a name in hours, or always" },
  { field: /\/to\/\d+$/, meaning: "must be the name of a webhook target" },
];
