import type { DependencyUse, ManifestDraft } from "./manifest-draft.ts";
import { splitRequirement } from "./text-manifest.ts";

/**
 * Reads the dependencies of Cargo.toml and pyproject.toml. It knows the parts of TOML that these files use: sections, texts, inline tables and arrays
 * of texts. It overlooks other forms.
 */
export function readTomlManifest(content: string, draft: ManifestDraft): void {
  let section = "";
  const lines = content.split("\n").slice(0, 20_000);
  for (let at = 0; at < lines.length; at++) {
    const line = (lines[at] ?? "").trim();
    const [, header] = /^\[\[?([^\]]{1,200})\]\]?/.exec(line) ?? [];
    if (header !== undefined) {
      section = header.replaceAll(/["'\s]/g, "");
      const [, inSection] = /(?:^|\.)dependencies\.([\w-]+)$/.exec(section) ?? [];
      if (inSection !== undefined) readTableDependency(section, inSection, lines.slice(at + 1, at + 15), draft);
      continue;
    }
    const [, key, start = ""] = /^["']?([\w.-]{1,100})["']?\s*=\s*(.*)$/.exec(line) ?? [];
    if (key === undefined) continue;
    const parts = start.startsWith("[") ? wholeArray(start, lines, at) : [start];
    at += parts.length - 1;
    readEntry(section, key, parts.join("\n"), draft);
  }
}

function readEntry(section: string, key: string, value: string, draft: ManifestDraft): void {
  const text = textIn(value);
  if (
    key === "version" &&
    (section === "package" || section === "project" || section === "tool.poetry" || section === "workspace.package")
  ) {
    if (text !== null) draft.version(text);
  } else if (key === "rust-version" && text !== null) draft.require("rust", text);
  else if (key === "requires-python" && text !== null) draft.require("python", text);
  else if (section === "project" && key === "dependencies")
    for (const item of textsIn(value)) draft.depend("runtime", ...splitRequirement(item));
  else if (section === "project.optional-dependencies")
    for (const item of textsIn(value)) draft.depend("optional", ...splitRequirement(item));
  else if (section === "dependency-groups") for (const item of textsIn(value)) draft.depend("dev", ...splitRequirement(item));
  else if (/^tool\.poetry\.(?:dev-dependencies|dependencies|group\.\w+\.dependencies)$/.test(section)) {
    if (key === "python") draft.require("python", text ?? "");
    else draft.depend(section === "tool.poetry.dependencies" ? "runtime" : "dev", key, text ?? "");
  } else {
    const use = cargoUse(section);
    // A dependency may have another name inside the crate.
    const [, crate] = /^\{.*\bpackage\s*=\s*["']([\w-]{1,100})["']/.exec(value) ?? [];
    if (use !== null) draft.depend(use, crate ?? key.replace(/\.workspace$/, ""), text ?? "workspace");
  }
}

function cargoUse(section: string): DependencyUse | null {
  if (/(?:^|\.)(?:dev-dependencies|build-dependencies)$/.test(section)) return "dev";
  return /(?:^|\.)dependencies$/.test(section) && !section.startsWith("tool.") ? "runtime" : null;
}

function readTableDependency(section: string, name: string, lines: readonly string[], draft: ManifestDraft): void {
  const end = lines.findIndex((line) => line.startsWith("["));
  const version = lines.slice(0, end < 0 ? undefined : end).find((line) => /^version\s*=/.test(line));
  draft.depend(/dev-dependencies/.test(section) ? "dev" : "runtime", name, textIn(version?.replace(/^version\s*=\s*/, "") ?? "") ?? "");
}

/** Returns a text value, or the version of an inline table. */
function textIn(value: string): string | null {
  const inline = value.startsWith("{") ? (/\bversion\s*=\s*(["'][^"']*["'])/.exec(value)?.[1] ?? "") : value;
  return /^["']([^"']{0,200})["']/.exec(inline)?.[1] ?? null;
}

function textsIn(value: string): readonly string[] {
  return [...value.replaceAll(/^[ \t]*#.*$/gm, "").matchAll(/"([^"]{1,300})"|'([^']{1,300})'/g)].map(
    ([, double, single]) => double ?? single ?? "",
  );
}

/** Returns the lines of an array, up to the one that ends with a bracket. */
function wholeArray(start: string, lines: readonly string[], at: number): readonly string[] {
  const parts = [start];
  for (let next = at + 1; next < lines.length && next < at + MOST_ITEMS && !closes(parts.at(-1) ?? ""); next++)
    parts.push(lines[next] ?? "");
  return parts;
}

const MOST_ITEMS = 1000;

function closes(line: string): boolean {
  return /\]\s*(?:#.*)?$/.test(line.slice(0, 1000));
}
