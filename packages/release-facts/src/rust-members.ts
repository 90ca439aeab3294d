import { demandedBy, fieldOf } from "./member-signature.ts";
import { parenthesised, signatureOf } from "./signature.ts";

/**
 * Returns the public fields of public structs, the variants of public enumerations and the functions of public traits, as Type::name. Whoever matches an
 * enumeration must handle all its variants, unless it is `non_exhaustive`, so a new variant is like a new function of a trait.
 */
export function rustMembers(content: string): ReadonlyMap<string, string> {
  const members = new Map<string, string>();
  let type: { readonly kind: string; readonly name: string; readonly isSealed: boolean } | null = null;
  let isOpen = false;
  let at = 0;
  for (const line of content.split("\n")) {
    const [, kind, name] = /^pub (?:unsafe )?(struct|enum|trait) (\w{1,160})/.exec(line) ?? [];
    if (kind !== undefined && name !== undefined)
      type = { kind, name, isSealed: kind === "enum" ? isOpen : /\b(?:sealed|private)\b/i.test(line) };
    else if (/^[}\w]/.test(line)) type = null;
    else if (type?.kind === "struct") {
      const [, field, of = ""] = /^ {4}pub ([a-z]\w{0,160}): (.{1,400}?),?$/.exec(line) ?? [];
      if (field !== undefined) members.set(`${type.name}::${field}`, fieldOf(of));
    } else if (type?.kind === "enum") {
      // Other values of a variant break whoever reads them. Those in braces or with comments may have many lines, so they are not compared.
      const [, variant, values = ""] = /^ {4}([A-Z]\w{0,160})(?:(\([^/]{1,300}\)),?$|[\s,({]|$)/.exec(line) ?? [];
      const shape = fieldOf(values);
      if (variant !== undefined) members.set(`${type.name}::${variant}`, type.isSealed ? shape : demandedBy(shape));
    } else if (type !== null) {
      const [start, own] = /^ {4}(?:(?:async|unsafe) ){0,2}fn ([a-z]\w{0,160})(?:<.{0,300}>)?(?=\()/.exec(line) ?? [];
      if (start !== undefined && own !== undefined)
        members.set(`${type.name}::${own}`, functionAt(content, at + start.length, type.isSealed));
    }
    // An attribute is about the item after it, which may have further attributes and comments.
    if (line.startsWith("#[non_exhaustive]")) isOpen = true;
    else if (/^[^\s#/)]/.test(line)) isOpen = false;
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
