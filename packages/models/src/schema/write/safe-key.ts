import { createHash } from "node:crypto";

/**
 * Returns names that a vendor accepts, in the same order. A valid name stays unchanged. In other names, forbidden characters become underscores. If
 * the result cannot be used, for example because another name already has it, the function appends a hash of the original name. The same list gives
 * the same names.
 */
export function safeKeys(names: readonly string[], key: RegExp): readonly string[] {
  const isGood = (name: string) => key.test(name) && name !== "__proto__";
  // Valid names are reserved before any other name is created.
  const taken = new Set(names.filter(isGood));
  return names.map((name) => {
    if (isGood(name)) return name;
    const plain = name.replaceAll(/[^a-zA-Z0-9_-]+/g, "_").slice(0, 64);
    const safe = isGood(plain) && !taken.has(plain) && name.length <= 64 && /[a-zA-Z0-9]/.test(plain) ? plain : marked(name, plain, taken);
    taken.add(safe);
    return safe;
  });
}

/** Returns the tool's name in a form that the vendor accepts. A changed name contains a hash of the original, so two names never become one. */
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
