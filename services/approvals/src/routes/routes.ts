import { approvalsQuery, type DecisionRequest, decisionRequest, keys } from "@toolbus/contracts";
import {
  getRoute,
  healthRoutes,
  type Infrastructure,
  type Need,
  noQuery,
  postRoute,
  type Principal,
  type RateLimit,
  type Route,
} from "@toolbus/runtime";
import type { StateStore } from "@toolbus/state";
import { type ApprovalDocuments } from "../sealed/approval-documents.ts";
import type { Decisions } from "../decisions/decisions.ts";
import { problemOf } from "../decisions/not-decided.ts";
import { approvalList } from "./approval-list-route.ts";
import { approvalId, approvalPrefix, exampleToken, recorded, jwksSchema, views } from "./route-docs.ts";
import { firstUse } from "./request-keys.ts";
import { ownedView, viewOf } from "../decisions/view.ts";
import { knownId, seenApproval } from "./known-approval.ts";

export interface RoutesOptions {
  readonly state: StateStore;
  readonly documents: ApprovalDocuments;
  readonly decisions: Decisions;
  /** The public keys that verify grants. */
  readonly jwks: object;
  readonly unready: () => readonly string[];
  readonly warnings?: (() => readonly string[]) | undefined;
  /** The check of whether the store accepts changes. */
  readonly storeNeed: Need;
  readonly clocks: Infrastructure["clocks"];
  /** How many decisions each approver may make per minute. Null means no limit. */
  readonly rate: RateLimit | null;
}

const TAG = "Approvals";
const READERS = ["approver", "operator"] as const;

/** Returns the routes for approvers and workers. A GET never decides, because machines fetch links before people read them. */
export function approvalRoutes(options: RoutesOptions): readonly Route[] {
  const { state, documents, decisions, jwks, unready, warnings, storeNeed, clocks, rate } = options;
  const approvals = approvalList({ state, documents });
  const listNeed: Need = { what: storeNeed.what, ask: () => state.page(keys.pendingApprovals(), { limit: 1 }) };
  return [
    getRoute({
      url: "/v1/approvals",
      access: READERS,
      docs: {
        operationId: "listApprovals",
        tag: TAG,
        summary: "Lists the approvals of the caller's tenant: those that wait, oldest first, or those that have ended, newest first.",
        description:
          "A page may have fewer approvals than its limit, even none, and not be the last. An approval is listed for 30 days after its end.",
        answers: { 200: { says: "A page of approvals.", body: views.page, example: recorded.page } },
        problems: ["invalid_cursor"],
      },
      query: approvalsQuery,
      handle: ({ query, principal }) => approvals.page(query, principal),
    }),
    getRoute({
      url: "/v1/approvals/:id",
      access: READERS,
      docs: {
        operationId: "getApproval",
        tag: TAG,
        summary: "Shows an approval, with a single-use token if the caller may decide it.",
        description:
          "The approval is built from the pinned definition, the arguments and the requester, never from the agent's words. A GET never decides. The beginning of an id is enough if only one of the approvals that are listed begins like this.",
        id: approvalPrefix,
        answers: { 200: { says: "The approval.", body: views.toDecide, example: recorded.pending } },
        problems: [],
      },
      query: noQuery,
      handle: async ({ id, principal }) => look(await approvals.wholeId(id, principal), principal),
    }),
    postRoute({
      url: "/v1/approvals/:id/decision",
      access: ["approver"],
      docs: {
        operationId: "decideApproval",
        tag: TAG,
        summary: "Decides an approval, once.",
        description:
          "The token that `GET /v1/approvals/{id}` gave this approver identifies the decision. A repeat of the same decision gets the first answer, and another decision is refused. The requester never decides, and nobody decides twice. `arguments` approves these arguments instead of those on the card. They are checked as the agent's were, may raise the tier and never lower it, and make earlier approvals void. `argumentsHash` names the card that the approver saw, and a decision on an older card gets 409.",
        id: approvalId,
        answers: {
          200: {
            says: "The decision was accepted. The body is the approval as this decision left it.",
            body: views.approval,
            example: recorded.approved,
            headers: { "idempotent-replay": "`true` when this repeats the answer to an earlier request with the same Idempotency-Key." },
          },
        },
        problems: ["self_approval", "already_decided", "token_used", "expired", "conflict", "idempotency_key_reused"],
      },
      body: {
        declared: decisionRequest,
        required: true,
        examples: [
          { decision: "approve", token: exampleToken },
          { decision: "revise", token: exampleToken, comment: "Name the two failed tests." },
          { decision: "approve", token: exampleToken, arguments: { orderId: "A-1001", amount: 20 } },
        ],
        remedy: 'Send {"decision": "approve" or "deny" or "revise", "token": "…"}.',
      },
      rate,
      async handle({ id, principal, body, key, reply }) {
        const approval = knownId(state, id);
        if (key !== undefined && (await firstUse({ state, documents }, { approvalId: approval, principal, key, body })) === "again")
          reply.header("idempotent-replay", "true");
        return decide(approval, body, principal);
      },
    }),
    getRoute({
      url: "/.well-known/jwks.json",
      access: "public",
      docs: {
        operationId: "getKeys",
        tag: "Keys",
        summary: "Returns the public keys that verify grants (RFC 7517).",
        answers: { 200: { says: "The keys.", media: { schema: jwksSchema } } },
        problems: [],
      },
      query: noQuery,
      handle: async () => jwks,
    }),
    ...healthRoutes({ unready, needs: [storeNeed, listNeed], clocks, warnings }),
  ];

  async function look(id: string, reader: Principal): Promise<object> {
    const { approval, right, owner } = await seenApproval({ state, decisions }, id, reader);
    return { ...ownedView(approval, owner), ...right };
  }

  async function decide(id: string, request: DecisionRequest, approver: Principal): Promise<object> {
    const outcome = await decisions.decide(id, approver, request);
    if (outcome.kind === "no") throw problemOf(outcome);
    return viewOf(outcome.approval);
  }
}
