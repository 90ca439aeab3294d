import {
  type ApprovalCard,
  type ApprovalView,
  type CardLine,
  type CardText,
  cardOf,
  type DecisionForm,
  spanInWords,
} from "@toolbus/contracts";
import type { Right } from "../decisions/view.ts";
import { decisionForms } from "./decision-forms.ts";
import { hidden, notice, type Page, type Person } from "./layout.ts";
import { type Markup, markup } from "./markup.ts";
import { timeOf } from "./times.ts";

/** What the page of one approval shows. */
export interface CardPage {
  readonly view: ApprovalView;
  readonly right: Right;
  readonly person: Person | undefined;
  /** The token of the forms of this approval and session. */
  readonly form: string;
  /** Whether the approval still lacks the ticket that approving it needs. */
  readonly needsTicket: boolean;
  readonly now: number;
  /** A message above the card, such as why a decision was not accepted. */
  readonly message?: { readonly kind: "good" | "bad"; readonly text: string };
  /** What the person had typed into a form that was not accepted. */
  readonly typed?: Pick<DecisionForm, "decision" | "comment" | "ticket">;
  /** A masked field that this answer shows. The audit records that the person looked at it. */
  readonly revealed?: { readonly pointer: string; readonly text: string };
}

/** Makes the page of one approval: the card, and the forms to decide it if the reader may. */
export function cardPage(shown: CardPage): Page {
  const { view, person, now, message } = shown;
  const card = cardOf(view, now);
  const { title, status, doubts, notices } = card;
  const expiry = view.status === "pending" && `, expires in ${spanInWords(view.expiresAt - now)}`;
  return {
    title: title.text,
    person,
    body: markup`${message && notice(message.kind, message.text)}<h1>${whole(title, "the effect", shown)}</h1>
<p class="state"><span class="tier ${view.tier}">${view.tier}</span> <strong>${status}</strong></p>
<p class="soft">asked by <bdi>${view.requester}</bdi> ${spanInWords(now - view.requestedAt)} ago${expiry}</p>
${doubts.length > 0 && section("doubts", "Look closely", markup`<ul>${doubts.map((one) => markup`<li class="value">${one}</li>`)}</ul>`, "warn")}
${notices.length > 0 && section("notices", "Take note", markup`<ul>${notices.map((one) => markup`<li class="value">${one}</li>`)}</ul>`, "warn")}
${card.plan.length > 0 && section("plan", "What changes, by the worker's plan", planList(card.plan, shown))}
${section("arguments", "Arguments", argumentList(card.arguments, shown))}
${section("facts", "About this write", factList(card, view))}
${card.decisions.length > 0 && section("decisions", "Decisions", decisionList(card, view))}
${deciding(shown)}
<p class="links"><a href="/approvals">All approvals that wait</a><a href="/approvals/history">History</a></p>`,
  };
}

function section(id: string, heading: string, content: Markup, kind = ""): Markup {
  return markup`<section${kind !== "" && markup` class="${kind}"`} aria-labelledby="${id}"><h2 id="${id}">${heading}</h2>${content}</section>`;
}

function deciding({ view, right, form, needsTicket, typed }: CardPage): Markup | false {
  if (right.mayDecide) return section("decide", "Decide", decisionForms({ view, token: right.decisionToken, form, needsTicket, typed }));
  return view.status === "pending" && markup`<section class="tight"><p>You may not decide this: ${right.mayNotBecause}</p></section>`;
}

/** Returns the decisions with their times. The card has one line for each decision of the view, in the same order. */
function decisionList({ decisions }: ApprovalCard, view: ApprovalView): Markup {
  return markup`<ul>${decisions.map(({ label, text }, n) => {
    const made = view.decisions[n];
    const time = made !== undefined && markup` <span class="soft">${timeOf(made.at)}</span>`;
    return markup`<li><bdi>${label}</bdi>${text !== "" && markup`: <span class="value">${text}</span>`}${time}</li>`;
  })}</ul>`;
}

function planList(lines: readonly CardLine[], shown: CardPage): Markup {
  return markup`<dl>${lines.map((line) => markup`<dt><bdi>${line.label}</bdi></dt><dd>${whole(line, `the plan for ${line.label}`, shown)}</dd>`)}</dl>`;
}

function factList({ facts }: ApprovalCard, { requestedAt, endedAt }: ApprovalView): Markup {
  return markup`<dl>${facts.map(({ label, text }) => markup`<dt>${label}</dt><dd class="value">${text}</dd>`)}<dt>Asked</dt><dd>${timeOf(requestedAt)}</dd>${endedAt !== null && markup`<dt>Ended</dt><dd>${timeOf(endedAt)}</dd>`}</dl>`;
}

/** Returns the arguments as nested lists, because each line has only its depth. */
function argumentList(lines: readonly CardLine[], shown: CardPage): Markup {
  if (lines.length === 0) return markup`<p class="soft">none</p>`;
  let next = 0;
  return markup`<ul class="arguments">${items(0)}</ul>`;

  function items(depth: number): Markup[] {
    const made: Markup[] = [];
    for (let line = lines[next]; line !== undefined && line.depth >= depth; line = lines[next]) {
      next++;
      const isItem = line.label === "-";
      const parts = (lines[next]?.depth ?? 0) > depth && markup`<ul>${items(depth + 1)}</ul>`;
      const label = !isItem && markup`<span class="label"><bdi>${line.label}</bdi>:</span> `;
      made.push(markup`<li>${label}${whole(line, isItem ? "this item" : line.label, shown)}${parts}</li>`);
    }
    return made;
  }
}

/** Returns a text. If a part of it is masked, a button shows the whole text, or this answer shows it. */
function whole({ text, masked }: CardText, name: string, { right, view, form, revealed }: CardPage): Markup {
  if (masked === undefined) return markup`<span class="value">${text}</span>`;
  if (masked.pointer === revealed?.pointer) return markup`<mark class="value">${revealed.text}</mark>`;
  const fields = hidden({ form, pointer: masked.pointer });
  const button = markup` <form class="show" method="post" action="/approvals/${view.id}/reveal">${fields}<button class="small" aria-label="Show ${name} unmasked">Show</button></form>`;
  return markup`<span class="value">${text}</span>${right.mayDecide && button}`;
}
