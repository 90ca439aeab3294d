import { parseSlackInteraction, slackAnswer, slackForm } from "@toolbus/contracts";
import { bodyTextOf, HttpProblem, postRoute, type Route } from "@toolbus/runtime";
import type { SlackInteractions } from "../channels/slack/slack-interactions.ts";
import { signingWorkspaces, type SlackWorkspaces, workspaceOf } from "../channels/slack/slack-workspaces.ts";

export interface SlackRoutesOptions {
  readonly workspaces: SlackWorkspaces;
  readonly interactions: SlackInteractions;
  /** Returns the time in milliseconds since 1970. The signed time is compared with it. */
  readonly clock: () => number;
}

/** Returns the route `POST /v1/slack/interactions`, to which Slack sends what people do with the buttons and dialogs of its messages. */
export function slackRoutes({ workspaces, interactions, clock }: SlackRoutesOptions): readonly Route[] {
  const route = postRoute({
    url: "/v1/slack/interactions",
    // The signature identifies the caller, and it is checked below.
    access: "public",
    docs: {
      operationId: "decideInSlack",
      tag: "Approvals",
      summary: "Receives what people do with the buttons and dialogs of messages in Slack. Slack signs the request.",
      description:
        "Slack signs the exact bytes of the body with the secret of the app. The signed time differs from now by at most 5 minutes. A button opens a dialog, and the dialog decides for the approver to whom the operator's file maps the person. The rules of approvals apply as to everybody. The same dialog again gets the same outcome. A person who may not decide reads a sentence in Slack.",
      headers: {
        "Idempotency-Key": "This header is not read, because a person decides an approval once.",
        "x-slack-request-timestamp": "The time of the signature, in seconds since 1970.",
        "x-slack-signature": "`v0=` and the HMAC-SHA256 over `v0:timestamp:body`, in hexadecimal.",
      },
      answers: {
        200: {
          says: "The interaction was handled, or is being handled. The body says what the dialog does next.",
          body: slackAnswer,
          example: {},
        },
      },
      problems: ["unauthenticated", "forbidden"],
    },
    body: { declared: slackForm, required: true, examples: [], remedy: "Let Slack send it." },
    rate: null,
    // The handler below replaces this one, because the body is a form.
    handle: async () => undefined,
  });
  return [
    {
      ...route,
      signed: "slack",
      form: true,
      async handle(request) {
        const { headers } = request;
        const text = bodyTextOf(request);
        const signed = { timestamp: headers["x-slack-request-timestamp"], signature: headers["x-slack-signature"], text };
        const signing = signingWorkspaces(workspaces, signed, clock());
        const [payload, more] = new URLSearchParams(text).getAll("payload");
        const interaction = parseSlackInteraction(more === undefined ? (payload ?? "") : "");
        if (!interaction.ok)
          throw new HttpProblem("invalid_request", "The form has no payload that is an interaction of Slack.", {
            errors: interaction.problems,
          });
        return interactions.handle(workspaceOf(signing, interaction.value), interaction.value);
      },
    },
  ];
}
