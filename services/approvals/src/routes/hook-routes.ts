import { hookDecision, type HookDecision, type JsonObject } from "@toolbus/contracts";
import { bodyTextOf, postRoute, type Principal, type RateLimit, type Route } from "@toolbus/runtime";
import type { StateStore } from "@toolbus/state";
import { type ApprovalDocuments } from "../sealed/approval-documents.ts";
import type { Decisions } from "../decisions/decisions.ts";
import { approverOf, type HookSources, signingSource } from "../decisions/hook-sources.ts";
import { problemOf } from "../decisions/not-decided.ts";
import { firstUse } from "./request-keys.ts";
import { approvalId as approvalDocs, recorded, views } from "./route-docs.ts";
import { viewOf } from "../decisions/view.ts";
import { knownId } from "./known-approval.ts";

export interface HookRoutesOptions {
  readonly state: StateStore;
  readonly documents: ApprovalDocuments;
  readonly decisions: Decisions;
  readonly sources: HookSources;
  /** Returns the time in milliseconds since 1970. A source's signed time is compared with it. */
  readonly clock: () => number;
  /** How many decisions each approver may make per minute. Null means no limit. */
  readonly rate: RateLimit | null;
}

/**
 * Returns the route `POST /v1/hooks/{id}`, with which another system decides for one of its people. The system signs the request. Approvals refuses
 * people whom the operator's file does not name, and decisions that the file does not allow.
 */
export function hookRoutes({ state, documents, decisions, sources, clock, rate }: HookRoutesOptions): readonly Route[] {
  const route = postRoute({
    url: "/v1/hooks/:id",
    // The signature identifies the caller, and it is checked below.
    access: "public",
    docs: {
      operationId: "decideByWebhook",
      tag: "Approvals",
      summary: "Decides an approval for a person of another system, which signs the request.",
      description:
        "The request is signed as Standard Webhooks specifies, over the exact bytes of the body, with the secret of a source that an operator named. The signed time differs from now by at most 5 minutes. The operator's file lists the source's people and the tiers that they may decide this way. The rules of approvals apply to them as to everybody. A repeat of the same `webhook-id` gets the first answer.",
      id: { says: "The source.", pattern: "^[a-z0-9][a-z0-9-]{0,22}$", example: "servicenow" },
      headers: {
        "Idempotency-Key": "This header is not read, because the `webhook-id` names the request.",
        "webhook-id": "The name of the request. A repeat has the same name.",
        "webhook-timestamp": "The time of the signature, in seconds since 1970.",
        "webhook-signature": "`v1,` and base64 of HMAC-SHA256 over `id.timestamp.body`.",
      },
      answers: {
        200: {
          says: "The decision was accepted. The body is the approval as this decision left it.",
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
      const approvalId = knownId(state, body.approval);
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
        // The schema refuses a body without an approver, so `NOBODY` never decides.
        return route.handle(request, reply, approver ?? NOBODY);
      },
    },
  ];
}

const NOBODY: Principal = { id: "", tenant: "", roles: [], scopes: [], keyId: "" };
const APPROVAL = approvalDocs.example;

/** Returns the owner of the `webhook-id`. The owner is the source itself, whichever of its people it decides for. */
function sourceOf(source: string, { tenant, keyId }: Principal): Principal {
  return { id: `hook:${source}`, tenant, keyId, roles: [], scopes: [] };
}

/** Returns the decision as it is recorded under the `webhook-id`. The record names the approver instead of a token. */
function asRequest({ approval: _, approver: token, ...decided }: HookDecision) {
  return { ...decided, token };
}
