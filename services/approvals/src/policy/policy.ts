import type { ApprovalPolicyFile, HitlMode } from "@toolbus/contracts";
import { canonicalJson, contentHash } from "@toolbus/grants";

/** The rules by which writes are judged. `version` is a hash of the content, so equal rules have equal versions on every replica. */
export interface Policy {
  readonly version: string;
  readonly content: ApprovalPolicyFile;
}

/** The settings that add to a policy. They can only make it stricter. */
export interface PolicySettings {
  readonly hitlMode: HitlMode;
  readonly writeTools: readonly string[];
}

export const NO_SETTINGS: PolicySettings = { hitlMode: "auto", writeTools: [] };

/** Returns the policy of a file and the settings. */
export function policyOf(file: ApprovalPolicyFile, { hitlMode, writeTools }: PolicySettings = NO_SETTINGS): Policy {
  const { hitlMode: inFile = "auto", writeTools: toolsInFile = [], ...rest } = file;
  const required = hitlMode === "required" || inFile === "required";
  const tools = [...new Set([...toolsInFile, ...writeTools])];
  const content: ApprovalPolicyFile = {
    ...rest,
    ...(required ? { hitlMode: "required" } : {}),
    ...(tools.length > 0 ? { writeTools: tools } : {}),
  };
  return { version: contentHash(canonicalJson(content)), content };
}

/** Returns the policy without a file: only the tier of a write decides. */
export function defaultPolicy(settings: PolicySettings = NO_SETTINGS): Policy {
  return policyOf({ version: 1 }, settings);
}
