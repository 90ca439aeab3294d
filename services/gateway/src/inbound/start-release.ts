import type { ReleaseTrigger } from "@toolbus/contracts";
import type { Refused } from "../refused.ts";
import type { Request, Starting } from "./inbound.ts";
import { requestHash } from "./request-hash.ts";
import type { MessageAccepted } from "./send-message.ts";
import { type Known, startInvestigation } from "./start-investigation.ts";

const ROUTE = "POST /v1/triggers/release";

/** Starts the investigation of a release that something rolls out: one for the release, or for each key where the request has one. */
export function startRelease(inbound: Starting, request: Request & { readonly body: ReleaseTrigger }): Promise<MessageAccepted | Refused> {
  return startInvestigation(inbound, { ...request, known: knownAs(request) });
}

/** Without a key a note is no part of what it is: who rolls out again may say something else. */
function knownAs({ key, body }: Request & { readonly body: ReleaseTrigger }): Known {
  const { releaseId } = body;
  if (key === undefined) return { route: ROUTE, name: JSON.stringify({ releaseId }), hash: requestHash({ releaseId }) };
  return { route: ROUTE, name: JSON.stringify({ key }), hash: requestHash(JSON.parse(JSON.stringify(body))) };
}
