import { isAboutAside, isAside, withoutActions } from "./beside-the-product.ts";

/** An area in which a fault costs more than elsewhere. */
export interface RiskyArea {
  /** True if a single failed test in this area is already a high finding. */
  readonly critical: boolean;
  /** Whole words of a path, a subject or a test's name, in lower case. */
  readonly words: readonly string[];
}

/** Every risky area of the offline rules, with the words that identify it. */
export const riskyAreas = {
  auth: {
    critical: true,
    words: [
      "auth",
      "authn",
      "authz",
      "authentication",
      "authorization",
      "login",
      "oauth",
      "oidc",
      "saml",
      "sso",
      "password",
      "credentials",
      "permissions",
      "rbac",
    ],
  },
  payments: {
    critical: true,
    words: ["payment", "payments", "billing", "checkout", "invoice", "invoices", "refund", "refunds"],
  },
  security: { critical: true, words: ["security", "crypto", "encryption", "csrf", "xss", "vulnerability", "cve"] },
  migrations: { critical: true, words: ["migration", "migrations", "migrate", "flyway", "liquibase", "alembic"] },
  infrastructure: {
    critical: false,
    words: ["infra", "infrastructure", "terraform", "kubernetes", "k8s", "helm", "dockerfile"],
  },
} as const satisfies Record<string, RiskyArea>;

export type RiskyAreaName = keyof typeof riskyAreas;

/** The words that mark, in its subject, a change that undoes another change or was made in haste. */
export const REVERT_WORDS: readonly string[] = ["revert", "reverts", "reverted", "rollback", "hotfix"];

/** A risky area that was found, and the text that shows it. */
export interface AreaHit {
  readonly area: RiskyAreaName;
  readonly seenIn: string;
}

/**
 * Returns the risky areas that a release changes, each once, with the first text that shows it. Files beside the product and commits about them show
 * no area. A path can show every area. A subject can show only critical areas, because people write "deploy" and "docker" also in subjects of changes
 * to other areas.
 */
export function changedAreas(paths: readonly string[], subjects: readonly string[]): readonly AreaHit[] {
  const product = paths.filter((path) => !isAside(path));
  const changes = subjects.filter((subject) => !isAboutAside(subject));
  return areaNames().flatMap((area) => {
    const known = riskyAreas[area];
    const inSubject = () => (known.critical ? changes.find((subject) => names(withoutActions(subject), known)) : undefined);
    const seenIn = product.find((path) => names(path, known)) ?? inSubject();
    return seenIn === undefined ? [] : [{ area, seenIn }];
  });
}

/** Returns the critical area of a failed test by its name and suite, or null. */
export function criticalArea(test: string): RiskyAreaName | null {
  return areaNames().find((area) => riskyAreas[area].critical && names(test, riskyAreas[area])) ?? null;
}

/** Returns true if the subject says that the change undoes something or was made in haste. */
export function isRevert(subject: string): boolean {
  return wordsOf(subject).some((word) => REVERT_WORDS.includes(word));
}

function areaNames(): readonly RiskyAreaName[] {
  return Object.keys(riskyAreas).filter((name): name is RiskyAreaName => Object.hasOwn(riskyAreas, name));
}

function names(text: string, area: RiskyArea): boolean {
  return wordsOf(text).some((word) => area.words.includes(word));
}

/**
 * Returns the words of a text in lower case. `src/userAuth.ts` has the words src, user, auth and ts. Only whole words match, so "author" is not
 * "auth".
 */
export function wordsOf(text: string): readonly string[] {
  return text
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/);
}
