import { visible } from "@toolbus/contracts";

const MARKUP: unique symbol = Symbol("markup");

/** A piece of HTML in which everything from outside is escaped. Only `markup` makes it. */
export interface Markup {
  readonly [MARKUP]: string;
}

/** What a template may contain. Texts are escaped, lists are joined, and absent parts are left out. */
export type Shown = string | number | Markup | null | undefined | false | readonly Shown[];

/**
 * Makes a piece of HTML from a template. Every text in it is escaped, so it can stand between tags and inside a quoted attribute. Invisible characters
 * are shown as escapes, because people read the page to decide.
 */
export function markup(parts: TemplateStringsArray, ...values: readonly Shown[]): Markup {
  return { [MARKUP]: parts.reduce((text, part, n) => text + rendered(values[n - 1]) + part) };
}

/** Returns a text that a form sends back, with its invisible characters. */
export function unchanged(text: string): Markup {
  return { [MARKUP]: escaped(text) };
}

/** Returns the HTML as text. */
export function textOf(markup: Markup): string {
  return markup[MARKUP];
}

function rendered(value: Shown): string {
  if (value === null || value === undefined || value === false) return "";
  if (typeof value === "number") return String(value);
  if (typeof value === "string") return escaped(visible(value));
  return MARKUP in value ? value[MARKUP] : value.map(rendered).join("");
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
