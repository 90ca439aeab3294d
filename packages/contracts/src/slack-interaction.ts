import { type Static, Type } from "./schema.ts";
import { DECISIONS } from "./documents/approval.ts";
import { ID_PATTERNS } from "./ids.ts";
import { declared, jsonParser } from "./parse.ts";

// Slack adds fields at any time, so these objects are open. Approvals reads only the fields that are named here.

const named = Type.Object({ id: Type.String({ minLength: 1, maxLength: 40 }) });
const nullable = Type.Optional(Type.Union([named, Type.Null()]));

/** What a person put into one input of a dialog. An empty input of text has the value null, and a select without a choice has the option null. */
interface SlackInput {
  readonly value?: string | null;
  readonly selected_option?: { readonly value: string } | null;
}

const input = {
  type: "object",
  properties: {
    value: { type: ["string", "null"], maxLength: 3000 },
    selected_option: {
      type: ["object", "null"],
      required: ["value"],
      properties: { value: { type: "string", maxLength: 150 } },
    },
  },
};

/** The payload that Slack sends when a person presses a button of a message, or submits a dialog. */
export const SlackInteraction = Type.Object({
  type: Type.String(),
  /** The workspace. It is null for an app that a whole organisation installed, and then `enterprise` names the organisation. */
  team: nullable,
  enterprise: nullable,
  user: named,
  /** Opens a dialog within 3 s. */
  trigger_id: Type.Optional(Type.String({ maxLength: 200 })),
  channel: nullable,
  message: Type.Optional(Type.Object({ ts: Type.String({ maxLength: 40 }) })),
  actions: Type.Optional(
    Type.Array(Type.Object({ action_id: Type.String({ maxLength: 255 }), value: Type.Optional(Type.String({ maxLength: 2000 })) })),
  ),
  view: Type.Optional(
    Type.Object({
      callback_id: Type.Optional(Type.String()),
      private_metadata: Type.Optional(Type.String({ maxLength: 3000 })),
      state: Type.Optional(
        Type.Object({
          values: Type.Optional(
            Type.Unsafe<Readonly<Record<string, Readonly<Record<string, SlackInput>>>>>({
              type: "object",
              additionalProperties: { type: "object", additionalProperties: input },
            }),
          ),
        }),
      ),
    }),
  ),
});
export type SlackInteraction = Static<typeof SlackInteraction>;
export const parseSlackInteraction = jsonParser(SlackInteraction);

/** The subject of a dialog. Slack keeps this text with the dialog and sends it back with the submission. */
export const SlackDialog = Type.Object(
  {
    approval: Type.String({ pattern: ID_PATTERNS.approval }),
    decision: Type.Enum([...DECISIONS]),
    /** Present if the dialog has inputs for other arguments. The decision is then "approve". */
    edits: Type.Optional(Type.Literal(true)),
    /** The hash of the arguments that the dialog shows. */
    argumentsHash: Type.Optional(Type.String({ maxLength: 64 })),
    /** The hash of the plan that the dialog shows. */
    planHash: Type.Optional(Type.String({ maxLength: 64 })),
    /** The message whose button opened the dialog. */
    channel: Type.Optional(Type.String({ maxLength: 40 })),
    ts: Type.Optional(Type.String({ maxLength: 40 })),
  },
  { additionalProperties: false },
);
export type SlackDialog = Static<typeof SlackDialog>;
export const parseSlackDialog = jsonParser(SlackDialog);

/** The form of `POST /v1/slack/interactions`. */
export const slackForm = declared(
  "SlackForm",
  Type.Object({ payload: Type.String({ description: "The JSON of an interaction, as Slack sends it." }) }, { additionalProperties: false }),
);
/** The answer of `POST /v1/slack/interactions`. It says what the dialog does next, and is empty if Slack needs to do nothing. */
export const slackAnswer = declared(
  "SlackAnswer",
  Type.Object(
    {
      response_action: Type.Optional(Type.Enum(["update", "errors"])),
      errors: Type.Optional(Type.Unsafe<Readonly<Record<string, string>>>({ type: "object", additionalProperties: { type: "string" } })),
      view: Type.Optional(Type.Unsafe<object>({ type: "object" })),
    },
    { additionalProperties: false },
  ),
);
