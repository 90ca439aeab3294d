/** The generated parts of a page, in Markdown, by name. */
export type Sections = Readonly<Record<string, string>>;

/**
 * Returns a hand-written page with its generated parts brought up to date. A generated part is between the lines `<!-- generated: NAME -->` and `<!--
 * /generated -->`. Throws if the names of the parts and of the markers do not match, so that no part is missing or unchecked.
 */
export function withSections(page: string, sections: Sections): string {
  const marked = [...page.matchAll(MARKED)].map(([, name = ""]) => name);
  const unknown = marked.filter((name) => !Object.hasOwn(sections, name));
  const absent = Object.keys(sections).filter((name) => !marked.includes(name));
  if (unknown.length > 0) throw new Error(`The page has markers for ${unknown.join(", ")}, which nothing generates.`);
  if (absent.length > 0) throw new Error(`The page has no markers for ${absent.join(", ")}: ${markersOf(absent[0] ?? "")}.`);
  return page.replaceAll(MARKED, (_, name: string) => `<!-- generated: ${name} -->\n\n${sections[name] ?? ""}\n\n<!-- /generated -->`);
}

const MARKED = /^<!-- generated: ([a-z-]+) -->$[^]*?^<!-- \/generated -->$/gm;

function markersOf(name: string): string {
  return `add a line <!-- generated: ${name} --> and a line <!-- /generated -->`;
}
