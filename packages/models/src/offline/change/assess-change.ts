import { counted, type Severity } from "@toolbus/contracts";
import type { ReleaseFacts } from "@toolbus/release-facts";
import { gravity, graver } from "../finding.ts";
import { breakingFindings } from "./breaking-rules.ts";
import { changelogFindings } from "./changelog-rules.ts";
import type { ChangeAssessment } from "./change-finding.ts";
import { changeRules, type RuleName } from "./change-rules.ts";
import { changeThresholds } from "./change-thresholds.ts";
import { dependencyAdvisoryFindings } from "./dependency-advisory-rules.ts";
import { dependencyFindings } from "./dependency-rules.ts";
import { withFewPlaces } from "./evidence.ts";
import { featureFindings } from "./feature-rules.ts";
import { type ProductChange, productChange } from "./product-change.ts";
import { repairFindings } from "./repair-rules.ts";
import { securityFindings } from "./security-rules.ts";
import { unknownEvidence } from "./unknown-evidence.ts";

/**
 * Returns what the rules say about a release. The function is pure, and equal facts give an equal result, byte for byte. Facts that are missing lower
 * the confidence and never raise the severity. A fault that only a later release shows is not in the facts, so the rules do not guess at it.
 */
export function assessChange(facts: ReleaseFacts): ChangeAssessment {
  const change = productChange(facts);
  const found = securityFindings(change);
  const breaking = breakingFindings(change);
  const fixes = found.filter(({ rule }) => rule !== "security-announced");
  const changelog = changelogFindings(change, [...fixes, ...breaking]);
  // An entry of the changelog says more than a commit that only announces a fix.
  const security = changelog.some(({ kind }) => kind === "security_fix") ? fixes : found;
  const secure = [...security, ...changelog.filter(({ kind }) => kind === "security_fix")];
  const inSecurity = new Set(secure.flatMap(({ evidence }) => evidence.flatMap((place) => ("commit" in place ? [place.commit] : []))));
  const features = featureFindings(change, inSecurity);
  const mayBeHotfix = !secure.some(({ rule }) => rule !== "security-relaxed") && !features.some(({ rule }) => rule === "new-feature");
  const order = Object.keys(changeRules);
  const findings = [
    ...security,
    ...breaking,
    ...changelog,
    ...dependencyAdvisoryFindings(change, secure),
    ...dependencyFindings(change),
    ...repairFindings(change, mayBeHotfix),
    ...features,
  ].toSorted((a, b) => gravity(b.severity) - gravity(a.severity) || order.indexOf(a.rule) - order.indexOf(b.rule));
  const floors = floorsOf(change);
  const [worst] = findings;
  const [floor] = floors;
  const severity = graver(worst?.severity ?? "low", floor?.severity ?? "low");
  const because = [worst, floor].find((reason) => reason?.severity === severity)?.text ?? quiet(change);
  const names = new Set<string>([...findings.map(({ rule }) => rule), ...floors.map(({ rule }) => rule)]);
  return {
    severity,
    because,
    findings: findings.map(withFewPlaces),
    ...unknownEvidence(change),
    fired: order.filter((name): name is RuleName => names.has(name)),
  };
}

interface Floor {
  readonly rule: RuleName;
  readonly severity: Severity;
  readonly text: string;
}

/** Returns the reasons why a release is not low although no finding may say so. */
function floorsOf({ facts, fileCount, changedLines }: ProductChange): readonly Floor[] {
  const floors: Floor[] = [];
  if (facts.version.step === "minor" && changedLines > 0)
    floors.push({ rule: "feature-step", severity: "medium", text: "The step of the version is minor, and product code changes." });
  if (changedLines >= changeThresholds.codeLinesForLook.value)
    floors.push({
      rule: "code-lines",
      severity: "medium",
      text: `${changedLines} lines of product code change in ${counted(fileCount, "file")}.`,
    });
  return floors;
}

function quiet({ fileCount, changedLines }: ProductChange): string {
  if (fileCount === 0 || changedLines === 0) return "No line of product code changes.";
  return `Only ${counted(changedLines, "line")} of product code ${changedLines === 1 ? "changes" : "change"}, and no rule found a reason for more.`;
}
