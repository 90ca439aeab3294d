import { type ApprovalView, cardOf, spanInWords } from "@toolbus/contracts";
import type { Page, Person } from "./layout.ts";
import { type Markup, markup } from "./markup.ts";

/** What the list shows. `cursor` is the start of the next page. */
export interface ListPage {
  readonly approvals: readonly ApprovalView[];
  readonly cursor?: string;
  readonly isFirst: boolean;
  readonly person: Person | undefined;
  readonly now: number;
}

/** Makes the page with the approvals that wait, oldest first. */
export function listPage({ approvals, cursor, isFirst, person, now }: ListPage): Page {
  const nothing = cursor === undefined && isFirst ? "Nothing waits for a decision." : "Nothing on this page waits for a decision.";
  const links = [
    isFirst ? markup`<a href="/approvals">Reload</a>` : markup`<a href="/approvals">From the oldest</a>`,
    cursor !== undefined && markup`<a href="/approvals?cursor=${encodeURIComponent(cursor)}">Next page</a>`,
    markup`<a href="/approvals/history">History</a>`,
  ];
  return {
    title: "Waiting for a decision",
    person,
    body: markup`<h1>Waiting for a decision</h1>
${approvals.length === 0 ? markup`<p>${nothing}</p>` : markup`<ol class="list">${approvals.map((view) => item(view, now))}</ol>`}
<p class="links">${links}</p>`,
  };
}

function item(view: ApprovalView, now: number): Markup {
  const { title, status, doubts } = cardOf(view, now);
  const closely = doubts.length > 0 && markup` <strong class="closely">look closely</strong>`;
  return markup`<li class="item"><a class="value" href="/approvals/${view.id}">${title.text}</a>
<p class="state"><span class="tier ${view.tier}">${view.tier}</span> <span>${status}</span>${closely}</p>
<p class="soft">asked by <bdi>${view.requester}</bdi> ${spanInWords(now - view.requestedAt)} ago, expires in ${spanInWords(view.expiresAt - now)}</p></li>`;
}
