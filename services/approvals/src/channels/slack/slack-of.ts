import { shardOf } from "@toolbus/contracts";
import type { WebhookPlan } from "@toolbus/runtime";
import type { StateStore } from "@toolbus/state";
import { viewOf } from "../../decisions/view.ts";
import { type ApprovalDocuments, isShardOf } from "../../sealed/approval-documents.ts";
import { approvalPage } from "../approval-page.ts";
import { slackApi } from "./slack-api.ts";
import { type SlackChannel, slackChannel } from "./slack-channel.ts";
import { type SlackInteractions, slackInteractions, type SlackInteractionsOptions } from "./slack-interactions.ts";
import type { SlackWorkspaces } from "./slack-workspaces.ts";

export interface SlackOptions {
  readonly state: StateStore;
  readonly documents: ApprovalDocuments;
  readonly plan: WebhookPlan;
  readonly workspaces: SlackWorkspaces;
  readonly publicUrl: string;
}

/** Returns both directions of Slack: the channel that posts messages, and the handler of their buttons, which needs the decisions of approvals. */
export function slackOf({ state, documents, plan, workspaces, publicUrl }: SlackOptions): {
  readonly channel: SlackChannel;
  interactions(rest: Pick<SlackInteractionsOptions, "decisions" | "rate" | "clock" | "log">): SlackInteractions;
} {
  const call = slackApi({ allowed: plan.allowed });
  const targets = plan.targets.filter((target) => target.kind === "slack");
  const channel = slackChannel({
    state,
    call,
    viewNow: async (approvalId) => {
      const approval = await documents.approval(approvalId);
      return approval && viewOf(approval);
    },
    asks: ({ workspace }) => workspaces.some((one) => one.workspace === workspace),
    publicUrl,
  });
  return {
    channel,
    interactions: (rest) =>
      slackInteractions({
        ...rest,
        targets,
        channel,
        call,
        isKnown: (id) => isShardOf(state, shardOf(id)),
        pageOf: (id) => approvalPage(publicUrl, id),
      }),
  };
}
