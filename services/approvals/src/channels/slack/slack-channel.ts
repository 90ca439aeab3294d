import { type ApprovalView, cardOf, type JsonObject, keys, parseSlackMessage, shardOf, type SlackMessage } from "@toolbus/contracts";
import type { AttemptOutcome, Channel, SlackTarget } from "@toolbus/runtime";
import type { StateStore } from "@toolbus/state";
import { FINISHED_KEPT_MS } from "../../settings.ts";
import { approvalPage } from "../approval-page.ts";
import type { CallSlack, SlackAnswer } from "./slack-api.ts";
import { cardMessage, changedMessage, reminderMessage, type SlackText } from "./slack-blocks.ts";

export interface SlackChannelOptions {
  readonly state: Pick<StateStore, "read" | "commit">;
  readonly call: CallSlack;
  /** Returns the approval as it is now, or null if this service did not store it. */
  readonly viewNow: (approvalId: string) => Promise<ApprovalView | null>;
  /** Returns whether people of the target's workspace may decide by button. */
  readonly asks: (target: SlackTarget) => boolean;
  readonly publicUrl: string;
}

/** The channel of Slack. A held write is posted as a message, and this message shows the outcome as soon as the approval has ended. */
export interface SlackChannel extends Channel<SlackTarget> {
  /** Shows the current state of an approval in its message. `seen` is a message that is not recorded, such as the first of two. */
  refresh(target: SlackTarget, approvalId: string, signal: AbortSignal, now: number, seen?: Place): Promise<AttemptOutcome>;
}

/** The two values that together name a message in Slack. */
export type Place = Pick<SlackMessage, "channel" | "ts">;

/**
 * Every attempt can be repeated. The message is posted at least once. If the process dies after Slack accepted the message and before its name is
 * recorded, the next attempt posts a second message. A button of the first message then shows the outcome when somebody presses it. The delivery that
 * posts a message reads the approval again after the message is recorded. The delivery for the end of an approval reads this record after the
 * approval has ended. So one of the two deliveries notices the other, and no message keeps its buttons.
 */
export function slackChannel({ state, call, viewNow, asks, publicUrl }: SlackChannelOptions): SlackChannel {
  const self: SlackChannel = {
    async send({ target, delivery: { event, attempts }, content, now, signal }) {
      const view = content.data as ApprovalView;
      if (event === "approval.ended") return self.refresh(target, view.id, signal, now);
      const posted = await placeOf(target, view.id);
      if (view.status !== "pending") {
        if (posted) return self.refresh(target, view.id, signal, now);
        // An earlier attempt may have posted a message whose name nobody knows. People then read the outcome below it.
        return attempts > 1 ? post(target, view, now, signal) : { kind: "delivered" };
      }
      // If there is no message yet, the delivery of `approval.held` posts one. Then people need no reminder.
      if (!posted && event === "approval.reminder") return { kind: "delivered" };
      if (posted && event !== "approval.held") return told(await say(target, posted, reminderMessage(cardOf(view, now)), signal));
      if (!posted) return post(target, view, now, signal);
      const refreshed = await self.refresh(target, view.id, signal, now);
      // Slack notifies nobody of an update, so a reply tells people that they have to decide again.
      const again = view.plan?.drifted !== undefined && refreshed.kind === "delivered";
      return again ? told(await say(target, posted, changedMessage(cardOf(view, now)), signal)) : refreshed;
    },
    async refresh(target, approvalId, signal, now, seen) {
      const place = seen ?? (await placeOf(target, approvalId));
      if (!place) return { kind: "delivered" };
      let shown: ApprovalView | null = null;
      for (let tries = 1; tries <= MOST_UPDATES; tries++) {
        const view = await viewNow(approvalId);
        // An update that was overtaken on its way would put an older state over a newer one, so the state is read again after each update.
        if (!view || (shown && isSame(view, shown))) break;
        const answer = await call(target, "chat.update", { ...place, ...messageOf(target, view, now) }, signal);
        // Somebody deleted the message, so nothing is left to show.
        if (answer.kind !== "ok" && answer.error === "message_not_found") break;
        if (answer.kind !== "ok") return answer;
        shown = view;
      }
      return { kind: "delivered" };
    },
  };
  return self;

  async function post(target: SlackTarget, view: ApprovalView, now: number, signal: AbortSignal): Promise<AttemptOutcome> {
    const shown = { channel: target.channel, unfurl_links: false, unfurl_media: false, ...messageOf(target, view, now) };
    const answer = await call(target, "chat.postMessage", shown, signal);
    if (answer.kind !== "ok") return told(answer);
    const { channel = target.channel, ts } = answer.body;
    const message = parseSlackMessage({ approvalId: view.id, target: target.name, channel, ts });
    if (!message.ok) return { kind: "refused", reason: "its answer does not name the message" };
    await record(message.value, now);
    const after = await viewNow(view.id);
    return after && !isSame(after, view) ? self.refresh(target, view.id, signal, now) : { kind: "delivered" };
  }

  function say(target: SlackTarget, { channel, ts }: Place, text: SlackText, signal: AbortSignal): Promise<SlackAnswer> {
    return call(target, "chat.postMessage", { channel, thread_ts: ts, reply_broadcast: true, ...asParameters(text) }, signal);
  }

  function messageOf(target: SlackTarget, view: ApprovalView, now: number): JsonObject {
    return asParameters(cardMessage(cardOf(view, now), { asks: asks(target), page: approvalPage(publicUrl, view.id) }));
  }

  async function placeOf({ name }: SlackTarget, approvalId: string): Promise<Place | null> {
    const { documents } = await state.read([keys.slackMessage(name, approvalId)]);
    const read = parseSlackMessage(documents[0]?.value);
    return read.ok ? { channel: read.value.channel, ts: read.value.ts } : null;
  }

  async function record(message: SlackMessage, now: number): Promise<void> {
    const key = keys.slackMessage(message.target, message.approvalId);
    const { outcome } = await state.commit(shardOf(message.approvalId), {
      op: `slack:${message.target}:${message.approvalId}:${message.ts}`,
      guards: [{ key, version: 0 }],
      put: [{ key, value: { ...message }, expiresAt: now + FINISHED_KEPT_MS }],
    });
    // Another process recorded its own message in the meantime. The attempt is repeated and finds that message.
    if (outcome !== "ok") throw new Error(`The Slack message of ${message.approvalId} was recorded by another process.`);
  }
}

const MOST_UPDATES = 5;

function isSame(one: ApprovalView, other: ApprovalView): boolean {
  const isSamePlan = one.plan?.round === other.plan?.round && one.planning === other.planning;
  return one.status === other.status && one.decisions.length === other.decisions.length && isSamePlan;
}

function asParameters({ text, blocks }: SlackText): JsonObject {
  return { text, blocks: [...blocks] };
}

function told(answer: SlackAnswer): AttemptOutcome {
  return answer.kind === "ok" ? { kind: "delivered" } : answer;
}
