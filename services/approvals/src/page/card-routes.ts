import {
  type Approval,
  approvalCallId,
  callParts,
  cardOf,
  decisionForm,
  type DecisionForm,
  type DecisionKind,
  type DecisionRequest,
  pageListQuery,
  revealForm,
  shardOf,
  unmaskedField,
} from "@toolbus/contracts";
import { getRoute, HttpProblem, type Incoming, noQuery, postRoute, type Principal, type RenderProblem, type Route } from "@toolbus/runtime";
import { problemOf } from "../decisions/not-decided.ts";
import { pendingApprovals } from "../decisions/pending-list.ts";
import { ownedView, viewOf } from "../decisions/view.ts";
import { counting } from "../machine/edited.ts";
import { offersPlan } from "../machine/planned.ts";
import { revealed } from "../machine/reveal.ts";
import { ticketFault } from "../requests/policy.ts";
import { approvalId as approvalDocs } from "../routes/route-docs.ts";
import { atCursor } from "../routes/approval-list-route.ts";
import { type CardPage, cardPage } from "./card-page.ts";
import { editedArguments } from "./edit-routes.ts";
import { checkForm, checkOrigin } from "./form-check.ts";
import { listPage } from "./list-page.ts";
import type { PageOptions } from "./page-options.ts";
import type { PageSession } from "./page-session.ts";
import { htmlAnswer, seeOther } from "./route-docs.ts";
import { sendPage, sendTo } from "./send-page.ts";
import { READERS } from "./sign-in-routes.ts";
import { knownId, seenApproval } from "../routes/known-approval.ts";

export interface CardRoutesOptions extends Pick<PageOptions, "state" | "documents" | "decisions" | "clock" | "random" | "rate"> {
  readonly session: PageSession;
  readonly page: RenderProblem;
}

const ON_A_PAGE = 20;

/** Returns the routes with which people see what waits, read one approval, look at a masked field, and decide. */
export function cardRoutes({ state, documents, decisions, clock, random, rate, session, page }: CardRoutesOptions): readonly Route[] {
  const common = { page, credential: session.credential };
  return [
    getRoute({
      ...common,
      url: "/approvals",
      access: READERS,
      docs: { operationId: "openList", tag: "Page", summary: "Shows what waits.", answers: { 200: htmlAnswer }, problems: [] },
      query: pageListQuery,
      handle: (incoming) => list(incoming, incoming.query.cursor),
    }),
    getRoute({
      ...common,
      url: "/approvals/:id",
      access: READERS,
      docs: {
        operationId: "openCard",
        tag: "Page",
        summary: "Shows an approval.",
        id: approvalDocs,
        answers: { 200: htmlAnswer },
        problems: [],
      },
      query: noQuery,
      handle: (incoming) => card(incoming, 200, {}),
    }),
    postRoute({
      ...common,
      url: "/approvals/:id/decision",
      access: ["approver"],
      docs: { operationId: "sendDecision", tag: "Page", summary: "Decides.", id: approvalDocs, answers: { 303: seeOther }, problems: [] },
      body: { declared: decisionForm, required: true, examples: [], remedy: "Use the form of the page." },
      rate,
      handle: (incoming) => decide(incoming, incoming.body),
    }),
    postRoute({
      ...common,
      url: "/approvals/:id/reveal",
      access: ["approver"],
      docs: {
        operationId: "reveal",
        tag: "Page",
        summary: "Shows a masked field.",
        id: approvalDocs,
        answers: { 200: htmlAnswer },
        problems: [],
      },
      body: { declared: revealForm, required: true, examples: [], remedy: "Use the form of the page." },
      rate: null,
      handle: (incoming) => reveal(incoming, incoming.body),
    }),
  ];

  async function list(incoming: Incoming, from: string | undefined): Promise<string> {
    const wanted = { tenant: incoming.principal.tenant, limit: ON_A_PAGE, ...(from === undefined ? {} : { cursor: from }) };
    const { approvals, cursor } = await atCursor(() => pendingApprovals({ state, documents }, wanted));
    const shown = {
      approvals: approvals.map((approval) => viewOf(approval)),
      isFirst: from === undefined,
      person: session.personOf(incoming.request),
      now: clock(),
    };
    return sendPage(incoming, session, listPage({ ...shown, ...(cursor === undefined ? {} : { cursor }) }));
  }

  async function card(incoming: Incoming, status: number, more: Pick<CardPage, "message" | "revealed" | "typed">): Promise<string> {
    const { approval, right, owner } = await look(incoming);
    const form = session.of(incoming.request).formToken(approval.approvalId);
    const message = more.message ?? ownDecision(approval, incoming.principal);
    return sendPage(
      incoming,
      session,
      cardPage({
        view: ownedView(approval, owner),
        right,
        person: session.personOf(incoming.request),
        form,
        needsTicket: ticketFault(approval, "approve", undefined) !== null,
        now: clock(),
        ...more,
        ...(message === undefined ? {} : { message }),
      }),
      status,
    );
  }

  function look({ id, principal }: Incoming) {
    return seenApproval({ state, decisions }, id, principal);
  }

  async function decide(incoming: Incoming, form: DecisionForm): Promise<unknown> {
    const { principal } = incoming;
    const id = checked(incoming, form.form);
    const request = requestOf(form);
    const again = (status: number, text: string) => card(incoming, status, { message: { kind: "bad", text }, typed: form });
    if (request.decision === "revise" && request.comment === undefined)
      return again(400, "Say what should change, so that the model can change it.");
    if ((request.comment?.length ?? 0) > MOST_CHARS) return again(400, `The text is longer than ${MOST_CHARS} characters: shorten it.`);
    if (form.changes !== undefined && form.argumentsHash === undefined)
      return again(400, "The form does not say which arguments you saw. Edit them again.");
    const edited = form.changes === undefined ? undefined : editedArguments((await look(incoming)).approval, form.changes);
    if (edited === null) return again(400, "The changed arguments cannot be read. Edit them again.");
    const asked = edited === undefined ? request : { ...request, arguments: edited };
    const outcome = await decisions.decide(id, principal, asked, "page");
    if (outcome.kind === "decided") return sendTo(incoming, `/approvals/${id}`);
    const problem = problemOf(outcome);
    if (outcome.why === "not_found" || outcome.why === "damaged") throw problem;
    return again(problem.status, problem.message);
  }

  async function reveal(incoming: Incoming, { form, pointer }: { readonly form: string; readonly pointer: string }): Promise<string> {
    const id = checked(incoming, form);
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const { approval: read, now: at } = await documents.read(id, callParts(approvalCallId(id)).runId);
      const { approval, right } = await look(incoming);
      if (!right.mayDecide) throw new HttpProblem("forbidden", `You may not look at masked fields: ${right.mayNotBecause}`);
      const view = viewOf(approval);
      const { title, arguments: lines, plan } = cardOf(view, at);
      const text = [title, ...lines, ...plan].some(({ masked }) => masked?.pointer === pointer) ? unmaskedField(view, pointer) : null;
      if (text === null)
        throw new HttpProblem("invalid_request", "This approval has no masked field at that place.", {
          remedy: "Open the approval again.",
        });
      if (!read) continue;
      const record = { by: incoming.principal.id, pointer, at, id: Buffer.from(random(12)).toString("base64url") };
      // The record is stored before anybody sees the field.
      if ((await state.commit(shardOf(id), revealed(read, record))).outcome === "ok")
        return card(incoming, 200, { revealed: { pointer, text } });
    }
    throw new HttpProblem("conflict", "The approval changed at the same time.", { remedy: "Open the approval again." });
  }

  /** Returns the id of the approval that a form is for. Throws a problem if the form does not come from that approval's page in this session. */
  function checked({ id, request }: Incoming, form: string): string {
    const known = knownId(state, id);
    checkOrigin(request.headers, session.placeOf(request));
    checkForm(session.of(request), known, form);
    return known;
  }
}

const MAX_ATTEMPTS = 5;
const MOST_CHARS = 2000;

/** Returns the decision in a form. A browser sends a line break as two characters, and an empty text for a field that nobody filled in. */
function requestOf({ decision, token, comment = "", ticket = "", argumentsHash, planHash }: DecisionForm): DecisionRequest {
  const [words, number] = [comment.replaceAll("\r\n", "\n").trim(), ticket.trim()];
  const card = { ...(argumentsHash === undefined ? {} : { argumentsHash }), ...(planHash === undefined ? {} : { planHash }) };
  return { decision, token, ...card, ...(words === "" ? {} : { comment: words }), ...(number === "" ? {} : { ticket: number }) };
}

/** Returns what this person decided, so that the page after a decision says so. */
function ownDecision(approval: Approval, { id }: Principal): CardPage["message"] {
  const { decisions, status, need } = approval;
  const own = decisions.findLast(({ approver }) => approver === id);
  if (!own) return undefined;
  const counts = counting(approval);
  if (own.decision === "approve" && !counts.includes(own) && offersPlan(approval))
    return own.sent !== undefined && own.plan === undefined
      ? { kind: "good", text: "You changed the arguments. Approve the write when its worker has planned it with them." }
      : {
          kind: "bad",
          text: "You approved another plan. The write would now change something else, so your approval does not count any more.",
        };
  if (own.decision === "approve" && !counts.includes(own))
    return { kind: "bad", text: "You approved other arguments. They were changed, so your approval does not count any more." };
  const missing = need - counts.length;
  const more =
    status === "pending" && own.decision === "approve" ? ` It needs ${missing} more ${missing === 1 ? "approver" : "approvers"}.` : "";
  return { kind: "good", text: `${DONE[own.decision]}.${more}` };
}

const DONE: Readonly<Record<DecisionKind, string>> = {
  approve: "You approved this",
  deny: "You denied this",
  revise: "You sent this back",
};
