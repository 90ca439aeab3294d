/** The version that a requirement stands for. */
export interface RequiredVersion {
  readonly version: string;
  /** The requirement allows only this version. Otherwise it is the lowest one that it allows. */
  readonly exact: boolean;
}

/** Ecosystems in which a bare version is this version and no other one. In Cargo it also allows later ones. */
const BARE_IS_EXACT: ReadonlySet<string> = new Set(["Go", "npm", "Packagist", "PyPI", "RubyGems", "Maven"]);

const CLAUSE = /^(===?|\^|~>|~=|~|>=|=|<=|<|!=|>)?v?(\d[\w.+-]{0,80})$/;

/**
 * Returns the only or the lowest version that a requirement allows: 1.2.3 for 1.2.3, ==1.2.3, ^1.2.3, ~> 1.2.3 and >=1.2.3,<2. Returns null if that is not
 * sure, as for *, 1.x, >1.2, <2, a choice with || and everything that is no version, such as a branch or another place.
 */
export function requiredVersion(requirement: string, ecosystem: string): RequiredVersion | null {
  const clauses = requirement
    .slice(0, 200)
    .replaceAll(/([=<>~^!])\s+/g, "$1")
    .split(/[\s,]+/)
    .filter((clause) => clause !== "");
  let lowest: RequiredVersion | null = null;
  for (const clause of clauses) {
    const [, sign = "", version] = CLAUSE.exec(clause) ?? [];
    // 1.x and 1.* allow much, and nobody can say what the lowest version of them is called.
    if (version === undefined || /(?:^|\.)x(?:\.|$)/i.test(version) || sign === ">") return null;
    if (sign === "<" || sign === "<=" || sign === "!=") continue;
    if (lowest !== null) return null;
    const isWhole = ecosystem !== "npm" || /^\d+\.\d+\.\d+/.test(version);
    lowest = { version, exact: sign === "" ? BARE_IS_EXACT.has(ecosystem) && isWhole : sign.startsWith("=") && isWhole };
  }
  return lowest;
}
