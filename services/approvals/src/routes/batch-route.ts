import { batchDecisionRequest, type BatchDecisionAnswer, type BatchDecisionRequest, MAX_BATCH } from "@toolbus/contracts";
import { HttpProblem, postRoute, type Principal, type RateLimit, type Route } from "@toolbus/runtime";
import type { StateStore } from "@toolbus/state";
import { type ApprovalDocuments } from "../sealed/approval-documents.ts";
import type { Decisions } from "../decisions/decisions.ts";
import { notFound, problemOf } from "../decisions/not-decided.ts";
import { viewOf } from "../decisions/view.ts";
import { firstUse } from "./request-keys.ts";
import { approvalId as approvalDocs, exampleToken, recorded, views } from "./route-docs.ts";
import { knownId } from "./known-approval.ts";

export interface BatchRouteOptions {
  readonly state: StateStore;
  readonly documents: ApprovalDocuments;
  readonly decisions: Decisions;
  /** How many decisions each approver may make per minute. Each decision of a batch counts. Null means no limit. */
  readonly rate: RateLimit | null;
}

type Item = BatchDecisionRequest["decisions"][number];

/**
 * Returns the route `POST /v1/approvals/decisions`, with which an approver sends several decisions at once. Each has its own token and its own
 * answer, so that a refused decision does not affect the others.
 */
export function batchRoute({ state, documents, decisions, rate }: BatchRouteOptions): Route {
  return postRoute({
    url: "/v1/approvals/decisions",
    access: ["approver"],
    docs: {
      operationId: "decideApprovals",
      tag: "Approvals",
      summary: "Decides several approvals, each by its own decision.",
      description: `Up to ${MAX_BATCH} decisions, which are made one after another. Each gets the answer that it alone would get from \`POST /v1/approvals/{id}/decision\`, in the same order. High and critical writes are refused if there is more than one decision, because people decide them one by one. A repeat of the same request gets the same answers.`,
      answers: {
        200: {
          says: "The answers. A decision that was refused has a problem, and the others are made.",
          body: views.batch,
          example: {
            answers: [
              { approval: approvalDocs.example, status: 200, decided: recorded.approved },
              { approval: approvalDocs.example, status: 404, problem: notFound().body() as unknown as Record<string, string> },
            ],
          },
          headers: { "idempotent-replay": "`true` when this repeats the answer to an earlier request with the same Idempotency-Key." },
        },
      },
      problems: [],
    },
    body: {
      declared: batchDecisionRequest,
      required: true,
      examples: [{ decisions: [{ approval: approvalDocs.example, decision: "approve", token: exampleToken }] }],
      remedy: `Send {"decisions": [{"approval": "ap_…", "decision": "approve" or "deny" or "revise", "token": "…"}]}, at most ${MAX_BATCH}.`,
    },
    rate,
    async handle({ principal, body, key, reply }) {
      const made: Answered[] = [];
      for (const [n, item] of body.decisions.entries())
        made.push(await answered(item, principal, { key, alone: body.decisions.length === 1, counted: n === 0 }));
      if (isReplay(made)) reply.header("idempotent-replay", "true");
      return { answers: made.map(({ answer }) => answer) };
    },
  });

  async function answered(
    item: Item,
    principal: Principal,
    { key, alone, counted }: { readonly key: string | undefined; readonly alone: boolean; readonly counted: boolean },
  ): Promise<Answered> {
    const { approval, ...request } = item;
    let use: Answered["use"] = null;
    try {
      knownId(state, approval);
      // The request as a whole was counted as the first decision.
      if (!counted && rate) await takeOne(rate, principal);
      if (key !== undefined) use = await firstUse({ state, documents }, { approvalId: approval, principal, key, body: request });
      const outcome = await (alone ? decisions.decide : decisions.decideAmongOthers)(approval, principal, request);
      if (outcome.kind === "no") throw problemOf(outcome);
      return { use, answer: { approval, status: 200, decided: viewOf(outcome.approval) } };
    } catch (error) {
      // A store that fails ends the whole request. A repeat gets the same answers for what was decided.
      if (!(error instanceof HttpProblem)) throw error;
      const { errors, ...problem } = error.body();
      const shown = { ...problem, ...(errors === undefined ? {} : { errors: [...errors] }) };
      return { use, answer: { approval, status: error.status, problem: shown } };
    }
  }
}

interface Answered {
  readonly answer: BatchDecisionAnswer;
  /** Whether the request's key was used for this decision before. Null if the decision was refused before its key was looked up. */
  readonly use: "first" | "again" | null;
}

/**
 * Returns whether these are the answers to an earlier request with the same key. They are not if the earlier request was interrupted, so that some
 * decisions are new. No request uses its key for an approval that does not exist.
 */
function isReplay(made: readonly Answered[]): boolean {
  return (
    made.some(({ use }) => use === "again") && made.every(({ use, answer }) => use === "again" || (use === null && answer.status === 404))
  );
}

async function takeOne(rate: RateLimit, principal: Principal): Promise<void> {
  const { granted, resetMs } = await rate.take(principal);
  if (granted) return;
  const seconds = Math.max(1, Math.ceil(resetMs / 1000));
  throw new HttpProblem("rate_limited", `This principal may ${rate.words} a minute.`, { remedy: `Repeat this decision in ${seconds} s.` });
}
