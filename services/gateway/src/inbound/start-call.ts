import { type DirectCall, DIRECT_CALL_PROFILE, type JsonObject } from "@toolbus/contracts";
import { refused, type Refused } from "../refused.ts";
import type { Request, Starting } from "./inbound.ts";
import type { Subject } from "./investigation-subject.ts";
import { requestHash } from "./request-hash.ts";
import type { MessageAccepted } from "./send-message.ts";
import { startSubject } from "./start-investigation.ts";

/** The limit for the stored arguments. The entry and the run's document contain them. The agent's limit for the arguments of a turn is higher. */
const MAX_CALL_BYTES = 28 * 1024;

/** Starts a run that makes exactly this call, in its own conversation. Without a key, every request is a new call. */
export async function startCall(
  inbound: Starting,
  { call, key, ...request }: Request & { readonly call: DirectCall },
): Promise<MessageAccepted | Refused> {
  const input: JsonObject = { call: { tool: call.tool, arguments: call.arguments, client: call.client } };
  const bytes = Buffer.byteLength(JSON.stringify(input));
  if (bytes > MAX_CALL_BYTES)
    return refused(
      "body_too_large",
      `The call takes ${bytes} bytes to store; at most ${MAX_CALL_BYTES} are allowed.`,
      "Send shorter arguments.",
    );
  const subject: Subject = { kind: "subject", profile: DIRECT_CALL_PROFILE, text: `Call ${call.tool}, for an MCP client.`, input };
  return startSubject(inbound, {
    ...request,
    subject,
    known: { route: "POST /mcp", name: key, hash: requestHash({ tool: call.tool, arguments: call.arguments }) },
  });
}
