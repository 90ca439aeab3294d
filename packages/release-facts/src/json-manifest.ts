import type { DependencyUse, ManifestDraft } from "./manifest-draft.ts";

const NODE_FIELDS: readonly (readonly [string, DependencyUse])[] = [
  ["dependencies", "runtime"],
  ["devDependencies", "dev"],
  ["peerDependencies", "peer"],
  ["optionalDependencies", "optional"],
];
const PHP_FIELDS: readonly (readonly [string, DependencyUse])[] = [
  ["require", "runtime"],
  ["require-dev", "dev"],
];

/** Reads package.json and composer.json. */
export function readJsonManifest(file: string, content: string, draft: ManifestDraft): void {
  const manifest = objectOf(content);
  if (!manifest) return;
  const isPhp = file === "composer.json";
  const version = manifest.get("version");
  if (typeof version === "string") draft.version(version);
  for (const [field, use] of isPhp ? PHP_FIELDS : NODE_FIELDS) {
    for (const [name, requirement] of entriesOf(manifest.get(field))) {
      if (isPhp && name === "php") draft.require(name, requirement);
      else draft.depend(use, name, requirement);
    }
  }
  if (!isPhp) for (const [name, requirement] of entriesOf(manifest.get("engines"))) draft.require(name, requirement);
}

function objectOf(content: string): ReadonlyMap<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(content.replace(/^\uFEFF/, ""));
    return typeof value === "object" && value !== null && !Array.isArray(value) ? new Map(Object.entries(value)) : null;
  } catch {
    return null;
  }
}

function entriesOf(value: unknown): readonly (readonly [string, string])[] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([name, requirement]) => (typeof requirement === "string" ? [[name, requirement] as const] : []));
}
