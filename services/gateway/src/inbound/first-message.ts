import { type FirstMessageRequest, keys } from "@toolbus/contracts";
import type { Refused } from "../refused.ts";
import { DEFAULT_PROFILE, unknownProfile } from "./create-conversation.ts";
import type { Request, Starting } from "./inbound.ts";
import { requestHash } from "./request-hash.ts";
import type { MessageAccepted } from "./send-message.ts";
import { startSubject } from "./start-investigation.ts";
import { tooLarge } from "./text-size.ts";

const ROUTE = "POST /v1/messages";

/** Begins a conversation of this principal with its first message. One commit stores both, so there is never a conversation without its message. */
export async function sendFirstMessage(
  inbound: Starting,
  { principal, key, traceparent, body }: Request & { readonly body: FirstMessageRequest },
): Promise<MessageAccepted | Refused> {
  const { profile = DEFAULT_PROFILE, content: text } = body;
  const large = tooLarge(text, "The text");
  if (large) return large;
  const { now, documents } = await inbound.state.read([keys.profiles(inbound.config.AGENT_NAME)]);
  const unknown = unknownProfile(profile, documents[0]?.value);
  if (unknown) return unknown;
  const known = { route: ROUTE, name: key, hash: requestHash({ profile, text }) };
  return startSubject(inbound, { principal, traceparent, now, subject: { kind: "subject", profile, text, input: {} }, known });
}
