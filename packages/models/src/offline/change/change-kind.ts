/** The kinds of findings that the rules can report. They are a part of the kinds that labels of releases have. */
export type ChangeKind =
  | "security_fix"
  | "security_hardening"
  | "breaking_change"
  | "removed_api"
  | "revert"
  | "hotfix"
  | "migration"
  | "runtime_requirement"
  | "dependency_major"
  | "dependency_change"
  | "behaviour_change"
  | "new_feature"
  | "deprecation"
  | "risky_area"
  | "large_change";
