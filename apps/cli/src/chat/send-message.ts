import type { IfActive, RunView } from "@toolbus/contracts";
import { readConversation, readRun } from "../http/answers.ts";
import type { Client } from "../http/client.ts";

/** Creates a conversation with the given profile, or with the server's default profile, and returns its id. */
export async function openConversation(gateway: Client, profile: string | undefined, newId: () => string): Promise<string> {
  const body = profile === undefined ? {} : { profile };
  return readConversation(await gateway.post("/v1/conversations", body, { "idempotency-key": newId() })).conversationId;
}

export interface Message {
  readonly conversationId: string;
  readonly text: string;
  readonly ifActive?: IfActive;
}

/** Sends a message in a conversation and returns the run that works on it. If the request is repeated, the gateway accepts the message only once. */
export async function sendMessage(gateway: Client, { conversationId, text, ifActive }: Message, newId: () => string): Promise<RunView> {
  const body = { text, ...(ifActive === undefined ? {} : { ifActive }) };
  return readRun(
    await gateway.post(`/v1/conversations/${conversationId}/messages`, body, { accept: "application/json", "idempotency-key": newId() }),
  );
}
