import { createHash } from "node:crypto";

/**
 * The names that a vendor takes for these, in their order: a good one stays, another has what is not taken replaced by an underscore, and a mark of
 * its own text behind it where it would be another's name. The same list gives the same names.
 */
export function safeKeys(names: readonly string[], key: RegExp): readonly string[] {
  const isGood = (name: string) => key.test(name) && name !== "__proto__";
  // Good names are kept before any other is made up.
  const taken = new Set(names.filter(isGood));
  return names.map((name) => {
    if (isGood(name)) return name;
    const plain = name.replaceAll(/[^a-zA-Z0-9_-]+/g, "_").slice(0, 64);
    const safe = isGood(plain) && !taken.has(plain) && name.length <= 64 && /[a-zA-Z0-9]/.test(plain) ? plain : marked(name, plain, taken);
    taken.add(safe);
    return safe;
  });
}

/** The tool's name as a vendor takes it. Two names never become one: a changed one carries a mark of what it was. */
export function safeToolName(name: string, pattern: RegExp): string {
  if (pattern.test(name)) return name;
  const plain = name.replaceAll(/[^a-zA-Z0-9_-]+/g, "_").replace(/^[^a-zA-Z_]+/, "");
  return `${plain.slice(0, 64 - MARK - 1) || "tool"}_${markOf(name)}`;
}

function marked(name: string, plain: string, taken: ReadonlySet<string>): string {
  const stem = plain.slice(0, 64 - MARK - 1).replace(/^_+$/, "") || "p";
  for (let turn = 0; ; turn++) {
    const safe = `${stem}_${markOf(turn === 0 ? name : `${turn}:${name}`)}`;
    if (!taken.has(safe)) return safe;
  }
}

const MARK = 8;

function markOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, MARK);
}
