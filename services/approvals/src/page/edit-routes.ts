import { type Approval, argumentChanges, editForm, type EditForm, type JsonObject, parseEditChanges } from "@toolbus/contracts";
import { parseCanonicalArguments } from "@toolbus/grants";
import { getRoute, HttpProblem, type Incoming, noQuery, postRoute, type RenderProblem, type Route } from "@toolbus/runtime";
import { redactText } from "@toolbus/telemetry";
import { editFields, typedChanges, withChanges } from "../decisions/edit-fields.ts";
import { viewOf } from "../decisions/view.ts";
import { counting } from "../machine/edited.ts";
import { ticketFault } from "../requests/policy.ts";
import { approvalId as approvalDocs } from "../routes/route-docs.ts";
import { type EditPage, editPage, previewPage } from "./edit-page.ts";
import { checkForm, checkOrigin } from "./form-check.ts";
import type { PageOptions } from "./page-options.ts";
import type { PageSession } from "./page-session.ts";
import { htmlAnswer } from "./route-docs.ts";
import { sendPage } from "./send-page.ts";
import { seenApproval } from "../routes/known-approval.ts";

export interface EditRoutesOptions extends Pick<PageOptions, "state" | "decisions" | "clock"> {
  readonly session: PageSession;
  readonly page: RenderProblem;
}

/**
 * Returns the routes with which an approver prepares an edit: a form with the arguments, and a preview of what would change. Neither decides anything.
 * The form of the preview goes to the route that decides.
 */
export function editRoutes({ state, decisions, clock, session, page }: EditRoutesOptions): readonly Route[] {
  const common = { page, credential: session.credential, access: ["approver"] } as const;
  return [
    getRoute({
      ...common,
      url: "/approvals/:id/edit",
      docs: {
        operationId: "openEdit",
        tag: "Page",
        summary: "Shows the arguments in a form.",
        id: approvalDocs,
        answers: { 200: htmlAnswer },
        problems: [],
      },
      query: noQuery,
      handle: async (incoming) => form(incoming, await look(incoming), 200, {}),
    }),
    postRoute({
      ...common,
      url: "/approvals/:id/edit",
      docs: {
        operationId: "previewEdit",
        tag: "Page",
        summary: "Shows what an edit changes.",
        id: approvalDocs,
        answers: { 200: htmlAnswer },
        problems: [],
      },
      body: { declared: editForm, required: true, examples: [], remedy: "Use the form of the page." },
      rate: null,
      handle: (incoming) => preview(incoming, incoming.body),
    }),
  ];

  async function preview(incoming: Incoming, typed: EditForm): Promise<string> {
    checkOrigin(incoming.request.headers, session.placeOf(incoming.request));
    checkForm(session.of(incoming.request), incoming.id, typed.form);
    const seen = await look(incoming);
    const { approval, current, fields, editing, token } = seen;
    const again = (text: string, problems: NonNullable<EditPage["fault"]>["problems"] = []) =>
      form(incoming, seen, 400, { typed, fault: { text, problems } });
    if (typed.argumentsHash !== approval.argsHash)
      return form(incoming, seen, 409, {
        fault: { text: "Somebody changed the arguments meanwhile. The form has the present ones.", problems: [] },
      });
    if (typed.again !== undefined) return form(incoming, seen, 200, { typed });
    const read = typedChanges(fields, current, typed);
    if (!read.ok) return again("These arguments cannot be approved.", read.problems);
    const args = withChanges(current, read.changes);
    const judged = editing.judge(args);
    if (!judged.ok) return again(judged.reason, judged.problems);
    if (judged.edit === null) return again("Nothing is changed. Change an argument, or approve the write as it is.");
    const after = parseCanonicalArguments(judged.edit.arguments);
    const view = viewOf(approval);
    return sendPage(
      incoming,
      session,
      previewPage({
        view,
        person: session.personOf(incoming.request),
        form: typed.form,
        now: clock(),
        changes: argumentChanges(current, after.ok ? after.value : args, redactText),
        after: judged.edit,
        sent: JSON.stringify(read.changes),
        fields: Object.fromEntries(fields.flatMap(({ id }) => (typed[id] === undefined ? [] : [[id, typed[id]]]))),
        token,
        needsTicket: ticketFault({ ...approval, ...judged.edit, decisions: [] }, "approve", undefined) !== null,
        voids: counting(approval).length,
      }),
    );
  }

  function form(incoming: Incoming, { approval, fields }: Seen, status: number, more: Pick<EditPage, "typed" | "fault">): string {
    const person = session.personOf(incoming.request);
    const token = session.of(incoming.request).formToken(approval.approvalId);
    return sendPage(incoming, session, editPage({ view: viewOf(approval), person, form: token, now: clock(), fields, ...more }), status);
  }

  /** Reads the approval for somebody who may decide it. Throws a problem otherwise, or if the page cannot edit its arguments. */
  async function look({ id, principal }: Incoming) {
    const { approval, right } = await seenApproval({ state, decisions }, id, principal);
    if (!right.mayDecide) throw new HttpProblem("forbidden", `You may not decide this: ${right.mayNotBecause}`);
    const now = clock();
    const editing = await decisions.editing(approval, now);
    const current = argumentsOf(approval);
    const fields = editing === null ? null : editFields(editing.definition, current, viewOf(approval), now);
    if (editing === null || fields === null)
      throw new HttpProblem("conflict", "The arguments of this write cannot be edited on the page.", {
        remedy: 'Deny it, ask for a revision, or use "toolbus approvals approve ID --edit".',
      });
    return { approval, current, fields, editing, token: right.decisionToken };
  }

  type Seen = Awaited<ReturnType<typeof look>>;
}

/**
 * Returns the arguments that an approver wants, from the changes that the form of the preview sent. Returns null if the changes are not those of a
 * form. If somebody changed the arguments meanwhile, the decision itself is refused, because it names the arguments that the approver saw.
 */
export function editedArguments(approval: Approval, changes: string): JsonObject | null {
  try {
    const parsed = parseEditChanges(JSON.parse(changes));
    return parsed.ok ? withChanges(argumentsOf(approval), parsed.value) : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function argumentsOf({ arguments: text }: Approval): JsonObject {
  const parsed = parseCanonicalArguments(text);
  return parsed.ok ? parsed.value : {};
}
