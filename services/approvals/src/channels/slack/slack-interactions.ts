import {
  cardOf,
  DECISIONS,
  isApprovalId,
  type JsonObject,
  parseSlackDialog,
  type SlackDialog,
  type SlackInteraction,
  type SlackWorkspaceEntry,
} from "@toolbus/contracts";
import { pause, type Principal, type RateLimit, type SlackTarget } from "@toolbus/runtime";
import type { Log } from "@toolbus/telemetry";
import type { Decisions } from "../../decisions/decisions.ts";
import { viewOf } from "../../decisions/view.ts";
import { currentPlan } from "../../machine/planned.ts";
import { ticketFault } from "../../requests/policy.ts";
import type { CallSlack } from "./slack-api.ts";
import { type Answered, answerTo, refusedWith, retry, says } from "./slack-answers.ts";
import { ACTION, EDIT, sentenceMessage } from "./slack-blocks.ts";
import type { Place, SlackChannel } from "./slack-channel.ts";
import { answersIn, type DialogAnswers, decisionDialog, DIALOG } from "./slack-dialog.ts";
import { editDialog } from "./slack-edit-dialog.ts";
import { slackEdits } from "./slack-edits.ts";
import { slackApprover } from "./slack-workspaces.ts";

export interface SlackInteractionsOptions {
  readonly decisions: Decisions;
  readonly targets: readonly SlackTarget[];
  readonly channel: SlackChannel;
  readonly call: CallSlack;
  /** Returns whether this store can have a document of this approval. */
  readonly isKnown: (approvalId: string) => boolean;
  /** Returns the address of an approval's page, or null if no operator has set one. */
  readonly pageOf: (approvalId: string) => string | null;
  /** How many decisions each approver may make per minute. Null means no limit. */
  readonly rate: RateLimit | null;
  readonly clock: () => number;
  readonly log: Log;
  /** The time after which Slack gets an answer although the work continues, in milliseconds. Slack waits 3 s. */
  readonly answerWithinMs?: number;
}

/** Handles people's clicks on Slack buttons and the dialogs that they submit. */
export interface SlackInteractions {
  /** Resolves within 3 s with the answer to Slack, which is empty if the dialog needs to do nothing. */
  handle(workspace: SlackWorkspaceEntry, interaction: SlackInteraction): Promise<JsonObject>;
  /** Aborts the calls to Slack, and waits for the decisions that continue after an answer. */
  stop(): Promise<void>;
}

/**
 * Handles the buttons and dialogs of Slack. A button opens a dialog and decides nothing. The submission of the dialog is the decision, to which every
 * rule of approvals applies. A repeated submission has the same outcome, because a person has one token for each approval.
 */
export function slackInteractions(options: SlackInteractionsOptions): SlackInteractions {
  const { decisions, targets, channel, call, isKnown, pageOf, rate, clock, log, answerWithinMs = ANSWER_WITHIN_MS } = options;
  const edits = slackEdits({ decisions, clock });
  const stopping = new AbortController();
  const underWay = new Set<Promise<unknown>>();
  return {
    async handle(workspace, interaction) {
      if (interaction.type === "block_actions") return press(workspace, interaction);
      if (interaction.type === "view_submission" && interaction.view?.callback_id === DIALOG) return submit(workspace, interaction);
      return NOTHING;
    },
    async stop() {
      stopping.abort();
      await Promise.all(underWay);
    },
  };

  async function press(workspace: SlackWorkspaceEntry, interaction: SlackInteraction): Promise<JsonObject> {
    const [action] = interaction.actions ?? [];
    const decision = DECISIONS.find((one) => action?.action_id === `${ACTION}${one}`);
    const wanted: Wanted | undefined =
      action?.action_id === `${ACTION}${EDIT}` ? { decision: "approve", edits: true } : decision && { decision };
    // A button that leads to the page also reports that it was pressed.
    if (!wanted || action?.value === undefined) return NOTHING;
    const target = targetOf(workspace, interaction.channel?.id);
    const opened = background(open(workspace, target, interaction, { approval: action.value, wanted }));
    return (await inTime(opened)) ?? NOTHING;
  }

  async function open(
    workspace: SlackWorkspaceEntry,
    target: SlackTarget | undefined,
    { user, trigger_id, channel: where, message }: SlackInteraction,
    { approval: approvalId, wanted }: { readonly approval: string; readonly wanted: Wanted },
  ): Promise<JsonObject> {
    if (!target) return NOTHING;
    const place = where && message ? { channel: where.id, ts: message.ts } : undefined;
    const approver = slackApprover(workspace, user.id);
    if (!approver) return whisper(target, user.id, place, NOT_NAMED);
    if (!isApprovalId(approvalId) || !isKnown(approvalId)) return whisper(target, user.id, place, "There is no such approval.");
    const seen = await decisions.look(approvalId, approver);
    if (!seen || seen.kind === "no") return whisper(target, user.id, place, seen ? seen.reason : "There is no such approval.");
    if (!seen.right.mayDecide) {
      await whisper(target, user.id, place, seen.right.mayNotBecause);
      // This message may be one that nobody recorded, or that could not be updated.
      if (place && seen.approval.status !== "pending") await channel.refresh(target, approvalId, signal(), clock(), place);
      return NOTHING;
    }
    const form = wanted.edits ? await edits.formOf(seen.approval) : null;
    if (form?.kind === "no") return whisper(target, user.id, place, form.reason, form.isOnPage ? pageOf(approvalId) : null);
    const plan = currentPlan(seen.approval);
    const about: SlackDialog = {
      approval: approvalId,
      ...wanted,
      argumentsHash: seen.approval.argsHash,
      ...(plan === null ? {} : { planHash: plan.hash }),
      ...place,
    };
    const card = cardOf(viewOf(seen.approval), clock());
    // Whoever edits decides about arguments for which nobody has named a ticket yet.
    const subject = form === null ? seen.approval : { ...seen.approval, decisions: [] };
    const asksTicket = ticketFault(subject, wanted.decision, undefined) !== null;
    const view = form ? editDialog(card, about, form.fields, asksTicket) : decisionDialog(card, about, asksTicket ? "required" : "none");
    const answer = await call(target, "views.open", { trigger_id: trigger_id ?? "", view }, signal());
    if (answer.kind === "ok") return NOTHING;
    log.warn({ approvalId, target: target.name, why: answer.reason }, "Slack opened no dialog; the person has to press the button again");
    return whisper(target, user.id, place, "Slack could not open the dialog. Press the button again.");
  }

  async function submit(workspace: SlackWorkspaceEntry, interaction: SlackInteraction): Promise<JsonObject> {
    const about = parseSlackDialog(interaction.view?.private_metadata ?? "");
    if (!about.ok || !isKnown(about.value.approval)) return says("This dialog is about no approval. Press the button again.");
    const approver = slackApprover(workspace, interaction.user.id);
    if (!approver) return says(NOT_NAMED);
    const answers = answersIn(interaction);
    if ("errors" in answers) return { response_action: "errors", errors: answers.errors };
    const { approval } = about.value;
    const deciding = background(
      decide(approver, about.value, { interaction, answers }, workspace).then((decided) => {
        for (const target of targetsOf(workspace)) void background(channel.refresh(target, approval, signal(), clock()));
        return decided;
      }),
    );
    const decided = await inTime(deciding);
    if (decided) return decided.answer;
    void background(deciding.then(async (late) => late && tellLate(workspace, interaction.user.id, about.value, late)));
    return says(
      "This takes longer than usual. The message shows the outcome as soon as there is one. If it does not change, decide again.",
    );
  }

  async function decide(
    approver: Principal,
    about: SlackDialog,
    { interaction, answers }: { readonly interaction: SlackInteraction; readonly answers: DialogAnswers },
    { workspace }: SlackWorkspaceEntry,
  ): Promise<Answered> {
    try {
      if (rate) {
        const { granted, resetMs } = await rate.take(approver);
        if (!granted) return refusedWith(retry(`You may ${rate.words} a minute. Submit again in ${Math.ceil(resetMs / 1000)} s.`));
      }
      const edit = about.edits ? await edits.read(approver, about, interaction) : null;
      if (edit?.kind === "no") return refusedWith(edit.answer);
      const { approval, decision, argumentsHash, planHash } = about;
      const request = {
        decision,
        ...answers,
        ...(argumentsHash === undefined ? {} : { argumentsHash }),
        ...(planHash === undefined ? {} : { planHash }),
        ...(edit ? { arguments: edit.arguments } : {}),
      };
      const outcome = await decisions.decideFor(approval, approver, request, `slack:${workspace}`);
      const answer = answerTo(outcome, edit?.fields);
      return outcome.kind === "decided" ? { answer, refusal: null } : refusedWith(answer);
    } catch (error) {
      log.warn({ error, approvalId: about.approval }, "a decision of Slack could not be stored; the person has to submit it again");
      // The store may have made a change that it did not confirm. The same decision again is a repeat, and changes nothing.
      return refusedWith(retry("The store did not confirm this. Submit it again. A decision counts only once."));
    }
  }

  /** Tells a person whose dialog is gone that the decision was not accepted. An accepted one is visible in the message. */
  async function tellLate(
    workspace: SlackWorkspaceEntry,
    user: string,
    { channel: where, ts }: SlackDialog,
    { refusal }: Answered,
  ): Promise<void> {
    const target = targetOf(workspace, where);
    if (refusal !== null && target && where !== undefined) await whisper(target, user, { channel: where, ts: ts ?? "" }, refusal);
  }

  /** Says a sentence that only this person sees, with a button that opens this page. */
  async function whisper(
    target: SlackTarget,
    user: string,
    place: Place | undefined,
    sentence: string,
    page: string | null = null,
  ): Promise<JsonObject> {
    const shown = { channel: place?.channel ?? target.channel, user, ...sentenceMessage(sentence, page) };
    const answer = await call(target, "chat.postEphemeral", shown, signal());
    if (answer.kind !== "ok")
      log.warn({ target: target.name, why: answer.reason }, "a person of Slack could not be told why nothing was changed");
    return NOTHING;
  }

  function targetsOf({ workspace }: SlackWorkspaceEntry): readonly SlackTarget[] {
    return targets.filter((target) => target.workspace === workspace);
  }

  function targetOf(workspace: SlackWorkspaceEntry, where: string | undefined): SlackTarget | undefined {
    const own = targetsOf(workspace);
    return own.find((target) => target.channel === where) ?? own[0];
  }

  function signal(): AbortSignal {
    return AbortSignal.any([stopping.signal, AbortSignal.timeout(CALL_WITHIN_MS)]);
  }

  /** Lets work continue after the answer to Slack. A fault of the work is logged. */
  function background<T>(work: Promise<T>): Promise<T | null> {
    const done = work.catch((error: unknown) => {
      log.warn({ error }, "an interaction of Slack ended with a fault");
      return null;
    });
    underWay.add(done);
    void done.finally(() => underWay.delete(done));
    return done;
  }

  /** Resolves to null if the work takes longer than Slack waits. */
  async function inTime<T>(work: Promise<T>): Promise<T | null> {
    const early = new AbortController();
    try {
      return await Promise.race([work, pause(answerWithinMs, early.signal).then(() => null)]);
    } finally {
      early.abort();
    }
  }
}

/** The decision for which a button opens a dialog. */
type Wanted = Pick<SlackDialog, "decision" | "edits">;

const ANSWER_WITHIN_MS = 2000;
const CALL_WITHIN_MS = 10_000;
const NOTHING: JsonObject = {};
const NOT_NAMED = "You are not one of the approvers whom an operator named for this workspace, so nothing was changed.";
