import { type Markup, markup, textOf, unchanged } from "./markup.ts";
import { PAGE_POLICY, STYLE } from "./style.ts";

/** A page without its frame. */
export interface Page {
  readonly title: string;
  readonly body: Markup;
  /** The person who is signed in. Absent on pages for everybody. */
  readonly person?: Person | undefined;
  /** An element of the head, such as one that opens another address. */
  readonly head?: Markup;
}

/** A person who is signed in. `form` is the token of the form that signs out. */
export interface Person {
  readonly name: string;
  readonly form: string;
}

/** The headers of every page, in addition to those of every answer. */
export const PAGE_HEADERS = {
  "content-security-policy": PAGE_POLICY,
  "x-frame-options": "DENY",
  "cross-origin-opener-policy": "same-origin",
} as const;

/** Returns the whole page as text. */
export function pageText({ title, body, person, head }: Page): string {
  const page = markup`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">${head}
<title>${title} · Toolbus approvals</title><style>${STYLE}</style></head><body>
<header><a class="home" href="/approvals">Toolbus approvals</a>${person && signOut(person)}</header>
<main>${body}</main></body></html>
`;
  return textOf(page);
}

/** Returns a message above the content. A screen reader reads a bad message at once. */
export function notice(kind: "good" | "bad", text: string): Markup {
  return markup`<div class="notice ${kind}" role="${kind === "bad" ? "alert" : "status"}"><p>${text}</p></div>`;
}

function signOut({ name, form }: Person): Markup {
  return markup`<form method="post" action="/sign-out"><p><bdi>${name}</bdi> ${hidden({ form })}<button class="small">Sign out</button></p></form>`;
}

/** Returns fields of a form that a person does not see. */
export function hidden(fields: Readonly<Record<string, string>>): Markup {
  return markup`${Object.entries(fields).map(([name, value]) => markup`<input type="hidden" name="${name}" value="${unchanged(value)}">`)}`;
}
