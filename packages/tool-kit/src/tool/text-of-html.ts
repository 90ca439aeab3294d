/** Returns whether the text is a whole HTML page. A failing target, or a proxy in front of it, may answer with a page. */
export function isHtmlPage(text: string): boolean {
  return PAGE.test(text.slice(0, 2000));
}

/** Reduces an HTML page in the text to the words that a reader of the page sees. Returns the same text if it contains no page. */
export function withoutHtml(text: string): string {
  const begins = text.search(PAGE_INSIDE);
  if (begins < 0) return text;
  return `${text.slice(0, begins).trimEnd()} ${textOfHtml(text.slice(begins))}`.trim();
}

/**
 * Returns the words that a reader of a page sees, with one line per block and headings as in Markdown. Scripts, styles and comments are left out. The
 * function reads each character once, so no text from a target can make it slow.
 */
export function textOfHtml(html: string): string {
  // Only ASCII letters are changed, because other letters may change the text's length.
  const lower = html.replace(/[A-Z]+/g, (word) => word.toLowerCase());
  const parts: string[] = [];
  let at = 0;
  while (at < html.length) {
    const tag = html.indexOf("<", at);
    parts.push(html.slice(at, tag < 0 ? html.length : tag));
    if (tag < 0) break;
    at = endOf(tag);
  }
  return entitiesRead(parts.join(""))
    .replace(/[ \t\r\f\v\u00a0]+/g, " ")
    .replace(/ ?\n ?/g, "\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();

  /** Returns where the construct at this "<" ends, and adds its replacement to the parts. */
  function endOf(tag: number): number {
    if (html.startsWith("<!--", tag)) return after("-->", tag);
    const [, slash, name] = TAG.exec(lower.slice(tag, tag + 24)) ?? [];
    if (name === undefined) {
      if (/^<[!?]/.test(html.slice(tag, tag + 2))) return after(">", tag);
      parts.push("<");
      return tag + 1;
    }
    parts.push(separator(name, slash === ""));
    if (slash !== "" || !UNSEEN.has(name)) return after(">", tag);
    const end = lower.indexOf(`</${name}`, tag);
    return end < 0 ? html.length : end;
  }

  function after(what: string, from: number): number {
    const found = html.indexOf(what, from);
    return found < 0 ? html.length : found + what.length;
  }
}

const PAGE = /^\s*(?:<\?xml[^>]{0,200}>\s*)?<(?:!doctype html|html)\b/i;
const PAGE_INSIDE = /<(?:!doctype html|html|head|body)\b/i;
const TAG = /^<(\/?)([a-z][a-z0-9]*)/;
const UNSEEN: ReadonlySet<string> = new Set(["script", "style", "noscript", "template", "svg"]);
const BLOCKS: ReadonlySet<string> = new Set(
  "address article aside blockquote body br dd div dl dt footer form header hr html li main nav ol p pre section table title tr ul".split(
    " ",
  ),
);

function separator(name: string, opens: boolean): string {
  const [, level] = /^h([1-6])$/.exec(name) ?? [];
  if (level !== undefined) return opens ? `\n\n${"#".repeat(Number(level))} ` : "\n\n";
  if (name === "td" || name === "th") return " ";
  return BLOCKS.has(name) ? "\n" : "";
}

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " " };

function entitiesRead(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|([a-z]{2,4}));/g, (whole, code: string | undefined, name: string | undefined) => {
    if (name !== undefined) return ENTITIES[name] ?? whole;
    const point = Number(code);
    return point > 0 && point <= 0x10_ff_ff ? String.fromCodePoint(point) : whole;
  });
}
