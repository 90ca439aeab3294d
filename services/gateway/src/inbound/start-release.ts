import type { ReleaseTrigger } from "@toolbus/contracts";
import type { Refused } from "../refused.ts";
import type { Request, Starting } from "./inbound.ts";
import { requestHash } from "./request-hash.ts";
import type { MessageAccepted } from "./send-message.ts";
import { type Known, startInvestigation } from "./start-investigation.ts";

const ROUTE = "POST /v1/triggers/release";

/** Starts the investigation of a release for a deployment system. There is one investigation per release, or per key if the request has one. */
export function startRelease(inbound: Starting, request: Request & { readonly body: ReleaseTrigger }): Promise<MessageAccepted | Refused> {
  return startInvestigation(inbound, { ...request, known: knownAs(request) });
}

/** Returns the identity of a request. Without a key, the note is not part of the identity, because a repeated rollout may have another note. */
function knownAs({ key, body }: Request & { readonly body: ReleaseTrigger }): Known {
  const { releaseId } = body;
  if (key === undefined) return { route: ROUTE, name: JSON.stringify({ releaseId }), hash: requestHash({ releaseId }) };
  return { route: ROUTE, name: JSON.stringify({ key }), hash: requestHash(JSON.parse(JSON.stringify(body))) };
}
