import { hookDecision, type HookDecision, isApprovalId, type JsonObject, shardOf } from "@toolbus/contracts";
import { bodyTextOf, postRoute, type Principal, type RateLimit, type Route } from "@toolbus/runtime";
import type { StateStore } from "@toolbus/state";
import { type ApprovalDocuments, isShardOf } from "../sealed/approval-documents.ts";
import type { Decisions } from "../decisions/decisions.ts";
import { approverOf, type HookSources, signingSource } from "../decisions/hook-sources.ts";
import { notFound, problemOf } from "../decisions/not-decided.ts";
import { firstUse } from "./request-keys.ts";
import { approvalId as approvalDocs, recorded, views } from "./route-docs.ts";
import { viewOf } from "../decisions/view.ts";

export interface HookRoutesOptions {
  readonly state: StateStore;
  readonly documents: ApprovalDocuments;
  readonly decisions: Decisions;
  readonly sources: HookSources;
  /** Milliseconds since 1970, for the time that a source signed. */
  readonly clock: () => number;
  /** How many decisions each approver may make per minute; null for no limit. */
  readonly rate: RateLimit | null;
}

/**
 * `POST /v1/hooks/{id}`: another system decides for one of its people, with a request that it signed. People whom the operator's file does not name, and decisions that it does not allow, are refused.
 */
export function hookRoutes({ state, documents, decisions, sources, clock, rate }: HookRoutesOptions): readonly Route[] {
  const route = postRoute({
    url: "/v1/hooks/:id",
    // The signature, below, identifies the caller.
    access: "public",
    docs: {
      operationId: "decideByWebhook",
      tag: "Approvals",
      summary: "Decides an approval for a person of another system, whose request is signed.",
      description:
        "Signed as Standard Webhooks specifies, over the exact bytes of the body, within 5 minutes, with the secret of a source that an operator named. The operator's file says who its people are, and which tiers they may decide this way; the rules of approvals apply to them as to everybody. A repeat of the same `webhook-id` gets the first answer.",
      id: { says: "The source.", pattern: "^[a-z0-9][a-z0-9-]{0,22}$", example: "servicenow" },
      headers: {
        "Idempotency-Key": "Not read: the `webhook-id` names the request.",
        "webhook-id": "Names the request: the same in a repeat.",
        "webhook-timestamp": "When it was signed, in seconds since 1970.",
        "webhook-signature": "`v1,` and base64 of HMAC-SHA256 over `id.timestamp.body`.",
      },
      answers: {
        200: {
          says: "The decision counts; the approval as this decision left it.",
          body: views.approval,
          example: recorded.approved,
          headers: { "idempotent-replay": "`true` when this repeats the answer to an earlier request with the same `webhook-id`." },
        },
      },
      problems: [
        "unauthenticated",
        "forbidden",
        "self_approval",
        "not_found",
        "already_decided",
        "token_used",
        "expired",
        "conflict",
        "idempotency_key_reused",
        "rate_limited",
        "store_unavailable",
      ],
    },
    body: {
      declared: hookDecision,
      required: true,
      examples: [{ approval: APPROVAL, decision: "approve", approver: "U024BE7LH" }],
      remedy: 'Send {"approval": "ap_…", "decision": "approve" or "deny" or "revise", "approver": "…"}.',
    },
    rate,
    async handle({ id: source, principal, body, request, reply }) {
      const approvalId = knownId(body.approval);
      const key = `hook:${String(request.headers["webhook-id"])}`;
      const used = await firstUse({ state, documents }, { approvalId, principal: sourceOf(source, principal), key, body: asRequest(body) });
      if (used === "again") reply.header("idempotent-replay", "true");
      const outcome = await decisions.decideFor(approvalId, principal, body, `webhook:${source}`);
      if (outcome.kind === "no") throw problemOf(outcome);
      return viewOf(outcome.approval);
    },
  });
  return [
    {
      ...route,
      signed: true,
      async handle(request, reply) {
        const { id = "" } = request.params as { readonly id?: string };
        const source = signingSource(sources, id, { headers: request.headers, text: bodyTextOf(request) }, clock());
        const approver = approverOf(source, request.body as JsonObject | undefined);
        // A body without an approver is refused by its schema, before anybody is asked for.
        return route.handle(request, reply, approver ?? NOBODY);
      },
    },
  ];

  function knownId(id: string): string {
    if (!isApprovalId(id) || !isShardOf(state, shardOf(id))) throw notFound();
    return id;
  }
}

const NOBODY: Principal = { id: "", tenant: "", roles: [], scopes: [], keyId: "" };
const APPROVAL = approvalDocs.example;

/** The owner of the `webhook-id`: the source, whichever of its people it speaks for. */
function sourceOf(source: string, { tenant, keyId }: Principal): Principal {
  return { id: `hook:${source}`, tenant, keyId, roles: [], scopes: [] };
}

/** The decision as it is recorded under its id: with the decider instead of a token. */
function asRequest({ decision, approver, comment, ticket }: HookDecision) {
  return { decision, token: approver, ...(comment === undefined ? {} : { comment }), ...(ticket === undefined ? {} : { ticket }) };
}
