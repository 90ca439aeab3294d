import { type Approval, type JsonObject, type SlackDialog, type SlackInteraction } from "@toolbus/contracts";
import { parseCanonicalArguments } from "@toolbus/grants";
import type { Principal } from "@toolbus/runtime";
import type { Decisions } from "../../decisions/decisions.ts";
import { editFields, type EditField, typedChanges, withChanges } from "../../decisions/edit-fields.ts";
import { viewOf } from "../../decisions/view.ts";
import { withArguments } from "../../machine/edited.ts";
import { offersPlan } from "../../machine/planned.ts";
import { faultsOf, retry, says } from "./slack-answers.ts";
import { slackFields, typedIn } from "./slack-edit-dialog.ts";

export interface SlackEditsOptions {
  readonly decisions: Pick<Decisions, "editing" | "look">;
  readonly clock: () => number;
}

/** The form for the arguments of a write, or the reason why Slack shows none. */
export type SlackForm =
  | {
      readonly kind: "form";
      readonly fields: readonly EditField[];
      /** The arguments that the form changes. */
      readonly current: JsonObject;
      /** Returns whether these arguments are those of the form. */
      isSame(args: JsonObject): boolean;
    }
  | { readonly kind: "no"; readonly reason: string; readonly isOnPage: boolean };

/** The arguments that a person submitted, or the answer to the dialog that says why there are none. */
export type SubmittedEdit =
  | { readonly kind: "edit"; readonly arguments: JsonObject; readonly fields: readonly EditField[] }
  | { readonly kind: "no"; readonly answer: JsonObject };

/** The edits of arguments in Slack. They decide nothing: `decisions` judges the arguments and applies every rule. */
export interface SlackEdits {
  /** Returns the form for the arguments of this approval. */
  formOf(approval: Approval): Promise<SlackForm>;
  /**
   * Reads the dialog that a person submitted. If the same dialog comes again, the result is the same, unless an operator has switched the definition
   * off since.
   */
  read(approver: Principal, about: SlackDialog, interaction: SlackInteraction): Promise<SubmittedEdit>;
}

export function slackEdits({ decisions, clock }: SlackEditsOptions): SlackEdits {
  return { formOf, read };

  async function formOf(approval: Approval): Promise<SlackForm> {
    const command = `"toolbus approvals approve ${approval.approvalId} --edit"`;
    // Whoever edits such a write has to see the new plan before approving it, so the submission of a dialog could not be the approval.
    if (offersPlan(approval))
      return no(`The worker plans this write again after an edit, so edit it on the approval page or with ${command}.`, true);
    const now = clock();
    const editing = await decisions.editing(approval, now);
    if (editing === null) return no("The definition of this write is no longer enabled, so its arguments cannot be edited.");
    const parsed = parseCanonicalArguments(approval.arguments);
    if (!parsed.ok) return no("The arguments of this write cannot be read, so they cannot be edited.");
    const fields = editFields(editing.definition, parsed.value, viewOf(approval), now);
    if (fields === null) return no(`This write has too many arguments for a form, so edit it with ${command}.`);
    if (fields.length === 0) return no("The definition of this write has no arguments that a form could show.");
    const shown = slackFields(fields);
    if (shown === null)
      return no(`The arguments of this write are too long for Slack, so edit it on the approval page or with ${command}.`, true);
    return {
      kind: "form",
      fields: shown,
      current: parsed.value,
      isSame(args) {
        const judged = editing.judge(args);
        return judged.ok && judged.edit === null;
      },
    };
  }

  async function read(approver: Principal, about: SlackDialog, interaction: SlackInteraction): Promise<SubmittedEdit> {
    const seen = await decisions.look(about.approval, approver);
    if (!seen || seen.kind === "no") return refused(says(seen ? seen.reason : "There is no such approval."));
    // The form shows the arguments that the approval had when the dialog was opened. They may have changed since, by the first submission of this
    // dialog for example.
    const then = withArguments(seen.approval, about.argumentsHash ?? "");
    if (then === null) return refused(says(FORGED));
    const form = await formOf(then);
    const mayNot = seen.right.mayDecide ? null : says(seen.right.mayNotBecause);
    if (form.kind === "no") return refused(mayNot ?? says(form.reason));
    const { fields, current } = form;
    const typed = typedIn(fields, interaction);
    if (typed === null) return refused(says(FORGED));
    const changed = typedChanges(fields, current, typed);
    if (!changed.ok) return refused(mayNot ?? faultsOf("These arguments cannot be approved.", changed.problems, fields));
    const args = withChanges(current, changed.changes);
    // The decision would take the same arguments as an approval of the write as it is, which is not what the form is for.
    if (form.isSame(args)) return refused(mayNot ?? retry(UNCHANGED));
    return { kind: "edit", arguments: args, fields };
  }
}

const FORGED = "The inputs do not fit the dialog of this write, so nothing was changed: press the button again.";
const UNCHANGED = "Nothing is changed: change an argument, or approve the write as it is.";

function no(reason: string, isOnPage = false): SlackForm {
  return { kind: "no", reason, isOnPage };
}

function refused(answer: JsonObject): SubmittedEdit {
  return { kind: "no", answer };
}
