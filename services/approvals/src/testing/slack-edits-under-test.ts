import type { JsonObject, ToolDefinition } from "@toolbus/contracts";
import { filledIn, type Filled, slacked, type SlackedOptions, textsIn } from "./slacked-under-test.ts";
import { type Asked, call, payout as anyPayout } from "./writes-under-test.ts";

/** The payment with an argument of each kind. Above 1000 it is critical. */
export const payout: ToolDefinition = {
  ...anyPayout,
  parameters: {
    type: "object",
    additionalProperties: false,
    required: ["to", "amount"],
    properties: {
      to: { type: "string", minLength: 1, description: "Who gets the money." },
      amount: { type: "number", maximum: 9999 },
      speed: { enum: ["slow", "fast"] },
      quiet: { type: "boolean" },
      memo: { type: "string" },
      tags: { type: "array", items: { type: "string" } },
    },
  },
  effect: "Pay {amount} to {to}.",
};
export const ARGS = { to: "Bakery", amount: 149, speed: "slow", memo: "first\nsecond", tags: ["a"] };
export const asks = (n: number, args: Asked["args"] = ARGS, tool = payout): Asked => ({ callId: call(n), tool, args });
/** Returns the sentence that replaces a dialog. */
export const said = (body: unknown): string => textsIn(body)[2] ?? "";

/** Approvals in Slack with a payment. Its people press the button for an edit and submit the dialog. */
export async function slackEditing({ tools = [payout], ...options }: SlackedOptions = {}) {
  const s = await slacked({ ...options, tools });
  /** Presses the button for an edit, and returns the dialog that approvals opened. */
  async function open(id: string, user = "U1"): Promise<JsonObject> {
    const before = s.slack.of("views.open").length;
    await s.press(id, "edit", user);
    const opened = s.slack.of("views.open")[before];
    if (!opened) throw new Error(`No dialog was opened: ${JSON.stringify(s.slack.of("chat.postEphemeral").at(-1))}`);
    return opened;
  }
  /** Fills in inputs of a dialog, by their block ids, and submits it. */
  const submit = (opened: JsonObject, filled: Filled, user = "U1") => s.interact(filledIn(opened, filled, user));
  const edit = async (id: string, filled: Filled, user = "U1") => submit(await open(id, user), filled, user);
  /** Returns the last message that only one person saw. */
  const told = () => s.slack.of("chat.postEphemeral").at(-1);
  return Object.assign(s, { open, submitDialog: submit, edit, told });
}
