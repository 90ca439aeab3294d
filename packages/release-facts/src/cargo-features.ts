const MOST_LINES = 5000;

/**
 * Returns the features that users of a crate can turn on: those of the section [features] as "feature NAME", and optional dependencies that no feature names
 * as "dep:NAME" as "implied feature NAME" (Cargo reference, Features). Names that begin with "_" are for inner use. It knows the forms of TOML that these
 * files use.
 */
export function cargoFeatures(content: string): ReadonlyMap<string, string> {
  const features = new Set<string>();
  const optional = new Set<string>();
  const hidden = new Set<string>();
  let section = "";
  for (const line of content.split("\n", MOST_LINES)) {
    const [, header] = /^\s{0,8}\[\[?([^\]]{1,200})\]\]?/.exec(line) ?? [];
    if (header !== undefined) {
      section = header.replaceAll(/["'\s]/g, "");
      continue;
    }
    if (/^\s{0,8}#/.test(line)) continue;
    const [, key] = /^\s{0,8}["']?([\w.+-]{1,100})["']?\s{0,8}=/.exec(line) ?? [];
    if (section === "features") {
      for (const [, name] of line.matchAll(/["']dep:([\w-]{1,100})["']/g)) hidden.add(name ?? "");
      if (key !== undefined) features.add(key);
    } else if (/(?:^|\.)dependencies$/.test(section) && key !== undefined && /\boptional\s{0,8}=\s{0,8}true\b/.test(line))
      optional.add(key);
    else if (/(?:^|\.)dependencies\.[\w-]+$/.test(section) && /^\s{0,8}optional\s{0,8}=\s{0,8}true\b/.test(line))
      optional.add(section.slice(section.lastIndexOf(".") + 1));
  }
  const implied = [...optional].filter((name) => !hidden.has(name) && !features.has(name));
  const isOpen = (name: string) => !name.startsWith("_");
  return new Map([
    ...[...features].filter(isOpen).map((name) => [`feature ${name}`, ""] as const),
    ...implied.filter(isOpen).map((name) => [`implied feature ${name}`, ""] as const),
  ]);
}
