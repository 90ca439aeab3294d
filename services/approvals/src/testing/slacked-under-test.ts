import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import {
  deliveryIdOf,
  type DeliveryView,
  type JsonObject,
  keys,
  parseWebhookDelivery,
  type ToolDefinition,
  type WebhookDelivery,
  type WebhookEvent,
} from "@toolbus/contracts";
import type { StateStore } from "@toolbus/state";
import { setup, until } from "./approvals-under-test.ts";
import { signedBySlack, SIGNING_SECRET, slackServer, type SlackCall, type SlackReply } from "./slack-under-test.ts";

/** The workspace, with Ana (U1), Ben (U2) and the requester Rita (U3). Nobody else in the channel is an approver or a requester. */
export const WORKSPACE = {
  workspace: "T1",
  signingSecrets: [SIGNING_SECRET],
  tenant: "acme",
  tiers: ["high", "critical"],
  approvers: { U1: "amy", U2: "ben", U3: "rita" },
};
export const CHANNEL = "C024BE91L";
export const TOKEN = "xoxb-the-token-of-the-bot";

export interface SlackedOptions {
  readonly reply?: (call: SlackCall, count: number) => SlackReply;
  readonly env?: Readonly<Record<string, string>>;
  readonly wrapStore?: (state: StateStore) => StateStore;
  /** Whether people may decide in Slack. */
  readonly asks?: boolean;
  readonly tools?: readonly ToolDefinition[];
  /** The tiers that the people of the workspace may decide. */
  readonly tiers?: readonly string[];
}

/** Approvals with a channel of Slack. */
export async function slacked({ reply, env = {}, wrapStore, asks = true, tools, tiers = WORKSPACE.tiers }: SlackedOptions = {}) {
  const slack = await slackServer(reply);
  const folder = await mkdtemp(path.join(os.tmpdir(), "slack-"));
  const [targets, hooks] = ["targets.json", "hooks.json"].map((name) => path.join(folder, name));
  const chat = { name: "chat", kind: "slack", workspace: "T1", token: TOKEN, channel: CHANNEL, apiUrl: slack.apiUrl, tenant: "acme" };
  await writeFile(targets ?? "", JSON.stringify({ targets: [chat] }), { mode: 0o600 });
  await writeFile(hooks ?? "", JSON.stringify({ slack: asks ? [{ ...WORKSPACE, tiers }] : [] }), { mode: 0o600 });
  const files = { WEBHOOKS_FILE: targets ?? "", DECISION_HOOKS_FILE: hooks ?? "", WEBHOOK_ALLOWED_HOSTS: slack.host };
  const t = await setup({
    env: { ...files, WEBHOOK_RETRIES_S: "5,5", APPROVAL_REMINDER_PERCENT: "0", ...env },
    ...(wrapStore ? { wrapStore } : {}),
    ...(tools ? { tools } : {}),
  });
  return {
    t,
    slack,
    /** Posts what Slack sends, and returns the status and the body. */
    async interact(payload: unknown, { ageMs = 0, secret = SIGNING_SECRET, sent, headers = {} }: Interaction = {}) {
      const signed = signedBySlack(payload, Math.floor((t.clock.now - ageMs) / 1000), secret);
      const request = { ...signed, body: sent ?? signed.body, headers: { ...signed.headers, ...headers } };
      const answer = await t.request(null, "/v1/slack/interactions", request);
      return { status: answer.status, body: JSON.parse(await answer.text()) as JsonObject };
    },
    /** Presses a button of the message about this approval. */
    press(approval: string, decision: string, user = "U1") {
      return this.interact(pressed(approval, decision, user));
    },
    /** Submits the dialog of this approval. */
    submit(approval: string, decision: string, user = "U1", answers: Readonly<Record<string, string>> = {}) {
      return this.interact(submitted(approval, decision, user, answers));
    },
    /** Waits until Slack was called this often. */
    async called(method: string, count: number): Promise<readonly JsonObject[]> {
      await until(async () => slack.of(method).length >= count);
      return slack.of(method);
    },
    /** Waits until an attempt for this event has failed, and then until its retry is due. Resolves to the reason. */
    async retried(event: WebhookEvent, id: string): Promise<string | undefined> {
      await until(async () => (await deliveryOf(event, id))?.failedAt !== undefined);
      const failed = await deliveryOf(event, id);
      t.clock.now += 6000;
      return failed?.reason;
    },
    /** Waits until the delivery of this event has ended. */
    async settled(event: WebhookEvent, id: string): Promise<void> {
      await until(async () => (await deliveryOf(event, id)) === null);
    },
    async givenUp(): Promise<readonly DeliveryView[]> {
      return (await t.get("otto", "/v1/webhooks")).body["deliveries"] as unknown as readonly DeliveryView[];
    },
    async [Symbol.asyncDispose]() {
      await t[Symbol.asyncDispose]();
      await slack[Symbol.asyncDispose]();
      await rm(folder, { recursive: true });
    },
  };

  async function deliveryOf(event: WebhookEvent, id: string): Promise<WebhookDelivery | null> {
    const { documents } = await t.store.read([keys.delivery("approvals", deliveryIdOf(event, id, "chat"))]);
    const read = parseWebhookDelivery(documents[0]?.value);
    return read.ok ? read.value : null;
  }
}

export interface Interaction {
  readonly ageMs?: number;
  readonly secret?: string;
  /** The body that is sent instead of the signed one. */
  readonly sent?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export function pressed(approval: string, decision: string, user: string, ts = "1700000000.000001") {
  const actions = [{ action_id: `toolbus:${decision}`, block_id: "toolbus:decide", type: "button", value: approval }];
  return {
    type: "block_actions",
    team: { id: "T1", domain: "acme" },
    user: { id: user },
    trigger_id: "13345224609.738474920",
    channel: { id: CHANNEL },
    message: { ts },
    actions,
  };
}

export function submitted(approval: string, decision: string, user: string, answers: Readonly<Record<string, string>>) {
  const values = Object.fromEntries(
    Object.entries(answers).map(([name, value]) => [name, { [name]: { type: "plain_text_input", value } }]),
  );
  const about = JSON.stringify({ approval, decision, channel: CHANNEL, ts: "1700000000.000001" });
  return {
    type: "view_submission",
    team: { id: "T1" },
    user: { id: user },
    view: { callback_id: "toolbus:decide", private_metadata: about, state: { values } },
  };
}

/** What a person does in a dialog: the text of an input, or the text of an option. */
export type Filled = Readonly<Record<string, string>>;

interface InputBlock {
  readonly type: string;
  readonly block_id: string;
  readonly element: {
    readonly type: string;
    readonly initial_value?: string;
    readonly options?: readonly Option[];
    readonly initial_option?: Option;
  };
}
interface Option {
  readonly text: { readonly text: string };
  readonly value: string;
}

/** Returns what Slack sends when a person fills in inputs of this dialog, by their block ids, and submits it. The other inputs stay as they are. */
export function filledIn(opened: unknown, filled: Filled, user: string) {
  const { view } = opened as { readonly view: { readonly private_metadata: string; readonly blocks: readonly InputBlock[] } };
  const inputs = view.blocks.filter(({ type }) => type === "input");
  const values = Object.fromEntries(
    inputs.map(({ block_id: id, element: { type, initial_value, options, initial_option } }) => {
      if (type !== "static_select") return [id, { [id]: { type, value: (filled[id] ?? initial_value ?? "") || null } }];
      const chosen = filled[id] === undefined ? initial_option : options?.find(({ text }) => text.text === filled[id]);
      return [id, { [id]: { type, selected_option: chosen ?? null } }];
    }),
  );
  return {
    type: "view_submission",
    team: { id: "T1" },
    user: { id: user },
    view: { callback_id: "toolbus:decide", private_metadata: view.private_metadata, state: { values } },
  };
}

/** Returns every text of a message or a dialog, in order. */
export function textsIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(textsIn);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, part]) => (name === "text" && typeof part === "string" ? [part] : textsIn(part)));
}
