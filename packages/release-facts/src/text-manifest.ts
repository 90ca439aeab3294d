import type { DependencyUse, ManifestDraft } from "./manifest-draft.ts";

/** Reads go.mod, requirements files, setup.cfg, setup.py, Gemfile, gemspecs and pom.xml. */
export function readTextManifest(file: string, content: string, draft: ManifestDraft): void {
  if (file === "go.mod") readGoMod(content, draft);
  else if (file.endsWith(".txt")) readRequirements(file, content, draft);
  else if (file === "setup.cfg" || file === "setup.py") readSetup(content, draft);
  else if (file === "gemfile" || file.endsWith(".gemspec")) readGems(content, draft);
  else if (file === "pom.xml") readPom(content, draft);
}

/** Splits a requirement of Python, such as `name[extra]>=1.2; marker`, into the name and the versions. */
export function splitRequirement(text: string): [name: string, requirement: string] {
  const [, name = "", rest = ""] = /^\s*([A-Za-z0-9][\w.-]{0,150})(?:\[[^\]]{0,100}\])?\s*(.*)$/.exec(text.slice(0, 400)) ?? [];
  return [name.toLowerCase(), (rest.split(";", 1)[0] ?? "").replaceAll(/[()\s]/g, "")];
}

function readGoMod(content: string, draft: ManifestDraft): void {
  const [, go] = /^go\s+([\d.]{1,20})/m.exec(content) ?? [];
  if (go !== undefined) draft.require("go", go);
  let block = "";
  for (const text of content.split("\n")) {
    if (/^\w+\s*\(/.test(text)) block = text.split(/[\s(]/, 1)[0] ?? "";
    else if (text.startsWith(")")) block = "";
    const [, word, name, version, indirect] = /^(require\s+|\t)([\w./~-]{3,200})\s+(v[\w.+-]{1,80})\s*(\/\/ indirect)?/.exec(text) ?? [];
    if (name === undefined || version === undefined || (word === "\t" && block !== "require")) continue;
    // An indirect dependency is part of the binary too, but nobody chose it.
    draft.depend(indirect === undefined ? "runtime" : "optional", name, version);
  }
}

function readRequirements(file: string, content: string, draft: ManifestDraft): void {
  const use: DependencyUse = /dev|test|doc|lint|mypy|typing/.test(file) ? "dev" : "runtime";
  for (const whole of content.split("\n")) {
    const text = whole.slice(0, 400);
    if (/^\s*(?:#|-|$)/.test(text)) continue;
    draft.depend(use, ...splitRequirement(text.replace(/\s#.*$|\s*\\$/, "")));
  }
}

function readSetup(content: string, draft: ManifestDraft): void {
  const [, python] = /(?:^|[\s(,])python_requires\s*=\s*["']?([^"'\n]{1,100})/m.exec(content) ?? [];
  if (python !== undefined) draft.require("python", python.replace(/,\s*$/, "").trim());
  const [, version] = /^version\s*=\s*([\w.-]{1,60})\s*$/m.exec(content) ?? [];
  if (version !== undefined) draft.version(version);
  const [, list = ""] = /install_requires\s*=\s*\[([^\]]{0,5000})\]/.exec(content) ?? [];
  // A marker such as python_version < '3.8' has quotes of the other kind.
  for (const [, , item = ""] of list.matchAll(/(["'])((?:(?!\1).){1,300})\1/g)) draft.depend("runtime", ...splitRequirement(item));
  const [, block = ""] = /^install_requires\s*=[ \t]*\n((?:[ \t]+.*\n?)+)/m.exec(content) ?? [];
  for (const item of block.split("\n")) if (item.trim() !== "") draft.depend("runtime", ...splitRequirement(item));
}

function readGems(content: string, draft: ManifestDraft): void {
  const [, ruby] = /required_ruby_version\s*=\s*["']([^"']{1,60})["']/.exec(content) ?? [];
  if (ruby !== undefined) draft.require("ruby", ruby);
  for (const [, method, name = "", requirement = ""] of content.matchAll(
    /^[ \t]*(gem|[\w.]*add_(?:runtime_|development_)?dependency)[\s(]+["']([\w./-]{1,100})["'](?:\s*,\s*["']([^"']{1,100})["'])?/gm,
  )) {
    draft.depend(method?.includes("development") ? "dev" : "runtime", name, requirement);
  }
}

function readPom(content: string, draft: ManifestDraft): void {
  for (const [, block = ""] of content.matchAll(/<dependency>([\s\S]{1,3000}?)<\/dependency>/g)) {
    const fields = new Map(
      [...block.matchAll(/<(groupId|artifactId|version|scope)>\s*([^<\s]{1,150})\s*</g)].map(([, name, text]) => [name, text]),
    );
    const name = `${fields.get("groupId") ?? ""}:${fields.get("artifactId") ?? ""}`;
    draft.depend(fields.get("scope") === "test" ? "dev" : "runtime", name, fields.get("version") ?? "");
  }
}
