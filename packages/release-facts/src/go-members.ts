import { demandedBy, fieldOf } from "./member-signature.ts";

/**
 * Returns the exported fields of exported structs and the exported methods of exported interfaces, as Type.Name. Fields of a struct inside another one are
 * not read. `plain` makes the signature of a method from its parameters and results.
 */
export function goMembers(content: string, plain: (text: string) => string): ReadonlyMap<string, string> {
  const members = new Map<string, string>();
  let type: { readonly name: string; readonly kind: string; readonly margin: string; readonly lines: string[] } | null = null;
  for (const line of content.split("\n")) {
    const [, margin, name, kind] = /^(?:type |(\t))([A-Z]\w{0,160})(?:\[[^\]]{0,300}\])? (struct|interface) \{$/.exec(line) ?? [];
    if (type !== null && line.startsWith(`${type.margin}}`)) {
      addMembers(members, type, plain);
      type = null;
    } else if (type === null && name !== undefined && kind !== undefined) type = { name, kind, margin: margin ?? "", lines: [] };
    else if (type !== null && line.startsWith(`${type.margin}\t`) && /^\t{1,2}\w/.test(line) && !line.startsWith(`${type.margin}\t\t`))
      type.lines.push(line.trim().slice(0, 600));
  }
  return members;
}

function addMembers(
  members: Map<string, string>,
  { name: type, kind, lines }: { readonly name: string; readonly kind: string; readonly lines: readonly string[] },
  plain: (text: string) => string,
): void {
  // Nobody else can have a method that is not exported, so only the package itself implements such an interface.
  const isSealed = lines.some((line) => /^[a-z_]\w*\(/.test(line));
  for (const line of lines) {
    if (kind === "interface") {
      const [name] = /^[A-Z]\w{0,160}(?=\()/.exec(line) ?? [];
      if (name === undefined) continue;
      const signature = plain(withoutComment(line.slice(name.length)));
      members.set(`${type}.${name}`, isSealed ? signature : demandedBy(signature));
    } else {
      const [, names = "", of = ""] = /^([A-Z]\w{0,160}(?:, ?\w{1,160}){0,10})[ \t]+(\S.*)$/.exec(line) ?? [];
      for (const name of names.split(/, ?/)) if (/^[A-Z]/.test(name)) members.set(`${type}.${name}`, fieldOf(withoutComment(of)));
    }
  }
}

/** Removes the tag of a field and a comment. */
function withoutComment(text: string): string {
  return (text.split(/`|\/\//, 1)[0] ?? "").trim();
}
