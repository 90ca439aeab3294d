import { type Json, keys, type MessageEntry, type RunOrigin, type ToolRights } from "@toolbus/contracts";
import { type Identity, signDocument } from "@toolbus/grants";

/** The requester of a message. The default is `user:ada`, who has no scope and whose key names no tools. */
export interface Whose {
  readonly principal?: string;
  readonly rights?: ToolRights | undefined;
}

/** Returns the origin of a message's run, as the gateway signs and stores it with the message. */
export async function signedOrigin(
  { runId, conversationId, agent, acceptedAt }: Pick<MessageEntry, "runId" | "conversationId" | "agent" | "acceptedAt">,
  { signer }: Pick<Identity, "signer">,
  { principal = "user:ada", rights = { scopes: [] } }: Whose = {},
): Promise<Json> {
  const content: RunOrigin = {
    runId,
    conversationId,
    tenant: "acme",
    principal,
    scopes: [...rights.scopes],
    ...(rights.tools ? { tools: [...rights.tools] } : {}),
    agent,
    messageHash: "hash",
    via: { kind: "http" },
    createdAt: acceptedAt,
    openUntil: acceptedAt + 86_400_000,
  };
  return signDocument("tb-origin+jwt", { key: keys.runOrigin(runId), revision: 1, content }, signer);
}
