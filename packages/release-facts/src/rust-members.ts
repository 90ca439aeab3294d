import { demandedBy, fieldOf } from "./member-signature.ts";
import { parenthesised, signatureOf } from "./signature.ts";

/** Returns the public fields of public structs, the variants of public enumerations and the functions of public traits, as Type::name. */
export function rustMembers(content: string): ReadonlyMap<string, string> {
  const members = new Map<string, string>();
  let type: { readonly kind: string; readonly name: string; readonly isSealed: boolean } | null = null;
  let at = 0;
  for (const line of content.split("\n")) {
    const [, kind, name] = /^pub (?:unsafe )?(struct|enum|trait) (\w{1,160})/.exec(line) ?? [];
    if (kind !== undefined && name !== undefined) type = { kind, name, isSealed: /\b(?:sealed|private)\b/i.test(line) };
    else if (/^[}\w]/.test(line)) type = null;
    else if (type?.kind === "struct") {
      const [, field, of = ""] = /^ {4}pub ([a-z]\w{0,160}): (.{1,400}?),?$/.exec(line) ?? [];
      if (field !== undefined) members.set(`${type.name}::${field}`, fieldOf(of));
    } else if (type?.kind === "enum") {
      // Other values of a variant break whoever reads them, but they may have many lines.
      const [, variant] = /^ {4}([A-Z]\w{0,160})(?:[\s,({]|$)/.exec(line) ?? [];
      if (variant !== undefined) members.set(`${type.name}::${variant}`, fieldOf(""));
    } else if (type !== null) {
      const [start, own] = /^ {4}(?:(?:async|unsafe) ){0,2}fn ([a-z]\w{0,160})(?:<.{0,300}>)?(?=\()/.exec(line) ?? [];
      if (start !== undefined && own !== undefined)
        members.set(`${type.name}::${own}`, functionAt(content, at + start.length, type.isSealed));
    }
    at += line.length + 1;
  }
  return members;
}

/** Identifies a function of a trait. Whoever implements the trait must have those without a body, unless nobody else can implement it. */
function functionAt(content: string, open: number, isSealed: boolean): string {
  const parameters = parenthesised(content, open);
  const signature = signatureOf(parameters);
  const end = open + parameters.length;
  const isRequired = /^[^{;]{0,600};/.test(content.slice(end, end + 700));
  return isRequired && !isSealed ? demandedBy(signature) : signature;
}
