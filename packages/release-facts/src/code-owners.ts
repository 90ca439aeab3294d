import { compare, line } from "./clean-text.ts";
import { type PathPattern, pathPattern } from "./path-pattern.ts";
import type { ReleaseFacts } from "./release-facts.ts";

/** Where hosts look for the file, in their order. */
export const CODEOWNERS_PATHS = [".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS"] as const;

interface Rule {
  readonly pattern: string;
  readonly owners: readonly string[];
  readonly matches: PathPattern["matches"];
}

const MOST_RULES = 500;
/** Less than a second. The owners of a large project need a hundredth of it, and paths after the last step count for nobody. */
const MOST_WORK = 20_000_000;

/** Returns the rules of a CODEOWNERS file that own changed paths. For each path the last rule that matches counts. */
export function ownersOf(content: string, paths: readonly string[]): ReleaseFacts["owners"] {
  const rules = content.split("\n").slice(0, 5000).flatMap(ruleIn).slice(0, MOST_RULES);
  const counts = new Map<Rule, number>();
  const work = { left: MOST_WORK };
  for (const path of paths) {
    if (work.left <= 0) break;
    const rule = rules.findLast(({ matches }) => matches(path, work));
    if (rule) counts.set(rule, (counts.get(rule) ?? 0) + 1);
  }
  return [...counts]
    .map(([{ pattern, owners }, files]) => ({
      pattern: line(pattern, 400),
      owners: owners.slice(0, 20).map((owner) => line(owner, 160)),
      files,
    }))
    .toSorted((a, b) => b.files - a.files || compare(a.pattern, b.pattern))
    .slice(0, 50);
}

function ruleIn(text: string): readonly Rule[] {
  const [pattern, ...owners] = text
    .replace(/\s#.*$/, "")
    .trim()
    .split(/\s+/);
  if (!pattern || pattern.startsWith("#") || pattern.startsWith("[") || pattern.length > 300) return [];
  return [{ pattern, owners, matches: pathPattern(pattern).matches }];
}
