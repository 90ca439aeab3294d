import { isApprovalId, keys, parseDecisionRequest, shardOf } from "@toolbus/contracts";
import { HttpProblem, type Principal, type Route } from "@toolbus/runtime";
import type { StateStore } from "@toolbus/state";
import { isShardOf } from "./approval-documents.ts";
import type { Decisions, NotDecided } from "./decisions.ts";
import { pendingApprovals } from "./pending-list.ts";
import { viewOf } from "./view.ts";

export interface RoutesOptions {
  readonly state: StateStore;
  readonly decisions: Decisions;
  /** The public keys that grants are verified with. */
  readonly jwks: object;
  readonly unready: () => readonly string[];
}

/** The HTTP surface that approvers and workers reach. GET never decides: links are fetched by machines before people read them. */
export function approvalRoutes(options: RoutesOptions): readonly Route[] {
  const { state, decisions, jwks, unready } = options;
  return [
    {
      method: "GET",
      url: "/v1/approvals",
      access: ["approver", "operator"],
      handle: (request, _reply, reader) => list(request.query, reader),
    },
    {
      method: "GET",
      url: "/v1/approvals/:id",
      access: ["approver", "operator"],
      handle: (request, _reply, reader) => look(idOf(request.params), reader),
    },
    {
      method: "POST",
      url: "/v1/approvals/:id/decision",
      access: ["approver"],
      handle: (request, _reply, approver) => decide(idOf(request.params), request.body, approver),
    },
    { method: "GET", url: "/.well-known/jwks.json", access: "public", handle: async () => jwks },
    { method: "GET", url: "/healthz", access: "public", handle: async () => ({ status: "ok" }) },
    { method: "GET", url: "/readyz", access: "public", handle: ready },
  ];

  async function list(query: unknown, reader: Principal): Promise<object> {
    const { approvals, cursor } = await atCursor(() => pendingApprovals(state, { tenant: reader.tenant, ...listQuery(query) }));
    return { approvals: approvals.map(viewOf), ...(cursor === undefined ? {} : { cursor }) };
  }

  async function look(approvalId: string, reader: Principal): Promise<object> {
    const seen = await decisions.look(approvalId, reader);
    if (!seen) throw notFound();
    return { ...viewOf(seen.approval), ...seen.right };
  }

  async function decide(approvalId: string, body: unknown, approver: Principal): Promise<object> {
    const parsed = parseDecisionRequest(body);
    if (!parsed.ok)
      throw new HttpProblem("invalid_request", "The decision breaks its schema.", {
        remedy: "Mend the fields listed in errors.",
        errors: parsed.problems,
      });
    const outcome = await decisions.decide(approvalId, approver, parsed.value);
    if (outcome.kind === "no") throw problemOf(outcome);
    return viewOf(outcome.approval);
  }

  async function ready(): Promise<object> {
    const reasons = unready();
    if (reasons.length > 0) throw new HttpProblem("shutting_down", `Not ready: ${reasons.join(", ")}.`, {}, { "retry-after": "2" });
    await state.page(keys.pendingApprovals(), { limit: 1 });
    return { status: "ready" };
  }

  /** The id in the path. An id that cannot be one, or that this store never had, is not found. */
  function idOf(params: unknown): string {
    const id = typeof params === "object" && params !== null && "id" in params ? params.id : undefined;
    if (typeof id !== "string" || !isApprovalId(id) || !isShardOf(state, shardOf(id))) throw notFound();
    return id;
  }
}

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;

function listQuery(query: unknown): { readonly limit: number; readonly cursor?: string } {
  const given = Object.entries(typeof query === "object" && query !== null ? query : {});
  const errors: { path: string; message: string }[] = [];
  let limit = DEFAULT_LIMIT;
  let cursor: string | undefined;
  for (const [name, value] of given) {
    if (name === "status") {
      if (value !== "pending") errors.push({ path: "/status", message: 'must be "pending"' });
    } else if (name === "limit") {
      limit = typeof value === "string" && /^\d{1,4}$/.test(value) ? Number(value) : 0;
      if (limit < 1 || limit > MAX_LIMIT) errors.push({ path: "/limit", message: `must be a whole number from 1 to ${MAX_LIMIT}` });
    } else if (name === "cursor" && typeof value === "string") {
      cursor = value;
    } else {
      errors.push({ path: `/${name}`, message: name === "cursor" ? "must be given once" : "is not a known parameter" });
    }
  }
  if (errors.length > 0)
    throw new HttpProblem("invalid_request", "The query breaks its schema.", { remedy: "Use status=pending, limit and cursor.", errors });
  return { limit, ...(cursor === undefined ? {} : { cursor }) };
}

async function atCursor<T>(page: () => Promise<T>): Promise<T> {
  try {
    return await page();
  } catch (error) {
    if (error instanceof RangeError)
      throw new HttpProblem("invalid_cursor", "This cursor comes from no page.", { remedy: "Start again without a cursor." });
    throw error;
  }
}

/** Each "no" as a problem; where the approval has ended, its final state stands in `errors` for machines and in the detail for people. */
function problemOf({ why, reason, approval }: NotDecided): HttpProblem {
  const state = approval ? { errors: [{ path: "/status", message: approval.status }] } : {};
  switch (why) {
    case "not_found":
      return notFound();
    case "self_approval":
    case "forbidden":
      return new HttpProblem(why, reason, { remedy: "Ask another approver, or read the approval again for a token of your own." });
    case "token_used":
    case "already_decided":
    case "expired":
      return new HttpProblem(why, reason, { remedy: "Read the approval again to see how it ended.", ...state });
    case "ticket_missing":
      return new HttpProblem("invalid_request", reason, {
        remedy: "Send the ticket's id.",
        errors: [{ path: "/ticket", message: "is required" }],
      });
    case "pin_changed":
      return new HttpProblem("conflict", reason, { remedy: "Deny it; a new run asks with the definition that is enabled." });
  }
}

function notFound(): HttpProblem {
  return new HttpProblem("not_found", "There is no such approval.", {
    remedy: "Look at the id again; approvals of other tenants are not shown.",
  });
}
