import { type Static, Type } from "../schema.ts";
import { parser } from "../parse.ts";

/**
 * The place of a message about an approval in a channel of Slack. Approvals needs it to change the message when the approval ends. Approvals writes
 * it to the family `hook.approvals`, beside the deliveries.
 */
export const SlackMessage = Type.Object(
  {
    approvalId: Type.String(),
    /** The target's name in the file of targets. */
    target: Type.String(),
    /** The channel and the time that together name a message in Slack. */
    channel: Type.String({ maxLength: 40 }),
    ts: Type.String({ maxLength: 40 }),
  },
  { additionalProperties: false },
);
export type SlackMessage = Static<typeof SlackMessage>;
export const parseSlackMessage = parser(SlackMessage);
