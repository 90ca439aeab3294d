import type { ApprovalView, DecisionForm, DecisionKind } from "@toolbus/contracts";
import { hidden } from "./layout.ts";
import { type Markup, markup, unchanged } from "./markup.ts";

export interface DecisionForms {
  readonly view: Pick<ApprovalView, "id" | "tier" | "argumentsHash" | "policy" | "plan" | "planning">;
  /** The single-use token of this approver. */
  readonly token: string;
  /** The token of the forms of this approval and session. */
  readonly form: string;
  readonly needsTicket: boolean;
  readonly typed: Pick<DecisionForm, "decision" | "comment" | "ticket"> | undefined;
}

/** Returns a form for each decision. The form to approve is open, and the others open without a script. */
export function decisionForms(shown: DecisionForms): Markup {
  const { view, typed } = shown;
  const textOf = (decision: DecisionKind): string => (typed?.decision === decision ? (typed.comment ?? "") : "");
  const folded = (decision: DecisionKind, name: string, content: Markup): Markup =>
    markup`<details${typed?.decision === decision && markup` open`}><summary${decision === "deny" && markup` class="no"`}>${name}</summary>${content}</details>`;
  const reason = words({ id: "deny-reason", label: "Reason", hint: "The model reads the reason.", text: textOf("deny") });
  const change = words({ id: "revise-change", label: "What should change", hint: REVISION, isRequired: true, text: textOf("revise") });
  const approve = view.planning
    ? markup`<p class="soft">Its worker has not planned it yet, so it cannot be approved. Open this page again in a moment.</p>`
    : formOf(shown, "approve", markup`${approveFields(shown)}<button class="yes">Approve</button>`);
  return markup`${approve}
${view.plan?.drifted === undefined && markup`<p class="links"><a href="/approvals/${view.id}/edit">Approve with other arguments</a></p>`}
${folded("deny", "Deny", formOf(shown, "deny", markup`${reason}<button class="no">Deny</button>`))}
${folded("revise", "Ask for a revision", formOf(shown, "revise", markup`${change}<button>Send it back</button>`))}`;
}

/** Returns the fields of a form that approves: a ticket, if this write may need one, and a comment. */
export function approveFields(shown: Pick<DecisionForms, "needsTicket" | "typed"> & { readonly view: Pick<ApprovalView, "tier"> }): Markup {
  const { view, needsTicket, typed } = shown;
  const text = typed?.decision === "approve" ? (typed.comment ?? "") : "";
  const comment = words({ id: "approve-comment", label: "Comment", text });
  return markup`${(HAS_TICKET.has(view.tier) || needsTicket) && ticket(shown)}${comment}`;
}

const HAS_TICKET: ReadonlySet<string> = new Set(["high", "critical"]);
const REVISION = "The write does not run. The model reads this and may ask again with the change.";
const OPTIONAL = markup` <span class="soft">(optional)</span>`;

function formOf({ view, form, token }: DecisionForms, decision: DecisionKind, content: Markup): Markup {
  return markup`<form method="post" action="/approvals/${view.id}/decision">${hidden({ form, token, decision, argumentsHash: view.argumentsHash, ...(view.plan && { planHash: view.plan.hash }) })}${content}</form>`;
}

function ticket({ needsTicket, typed }: Pick<DecisionForms, "needsTicket" | "typed">): Markup {
  const need = needsTicket && markup` required`;
  return markup`<label for="ticket">Ticket${!needsTicket && OPTIONAL}</label><input type="text" id="ticket" name="ticket" maxlength="100" autocomplete="off" value="${unchanged(typed?.ticket ?? "")}"${need}>`;
}

interface Words {
  readonly id: string;
  readonly label: string;
  readonly hint?: string;
  readonly isRequired?: boolean;
  readonly text: string;
}

function words({ id, label, hint, isRequired = false, text }: Words): Markup {
  const described = hint !== undefined && markup` aria-describedby="${id}-hint"`;
  const hinted = hint !== undefined && markup`<p class="hint" id="${id}-hint">${hint}</p>`;
  // A browser drops the first line break of a text field, so the template begins with one.
  return markup`<label for="${id}">${label}${!isRequired && OPTIONAL}</label>${hinted}<textarea id="${id}" name="comment" maxlength="2000" rows="3"${described}${isRequired && markup` required`}>
${unchanged(text)}</textarea>`;
}
