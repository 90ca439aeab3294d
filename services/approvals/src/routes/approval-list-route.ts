import { APPROVAL_PREFIX, type ApprovalListStatus, isApprovalId, parseTime } from "@toolbus/contracts";
import { HttpProblem, type Principal } from "@toolbus/runtime";
import type { StateStore } from "@toolbus/state";
import { listedApprovals } from "../decisions/approval-list.ts";
import type { Listed } from "../decisions/index-scan.ts";
import { viewOf } from "../decisions/view.ts";

/** The query of the list, as `approvalsQuery` parses it. */
export interface ListQuery {
  readonly status?: ApprovalListStatus;
  readonly since?: string;
  readonly tool?: string;
  readonly requester?: string;
  readonly id?: string;
  readonly limit?: number;
  readonly cursor?: string;
}

/** The answers of the routes that read the lists of approvals. */
export interface ApprovalList {
  /** Returns a page of the reader's tenant. Throws the problem for a cursor that no page returned, and for a time that does not exist. */
  page(query: ListQuery, reader: Principal): Promise<object>;
  /**
   * Returns the id of the one listed approval of the reader's tenant whose id begins with this text. Returns a whole id, and a text with which no id
   * begins, unchanged. Throws the problem that names the matches if there are several, or if there are too many approvals to be sure.
   */
  wholeId(typed: string, reader: Principal): Promise<string>;
}

export function approvalList(listed: Listed & { readonly state: Pick<StateStore, "page" | "read"> }): ApprovalList {
  return {
    async page({ status = "pending", since, id, limit = APPROVALS, ...rest }, { tenant }) {
      const from = since === undefined ? undefined : timeOf(since);
      const { now } = await listed.state.read([]);
      const wanted = { ...rest, tenant, status, limit, since: from, prefix: id };
      const { approvals, cursor } = await atCursor(() => listedApprovals(listed, wanted));
      return { approvals: approvals.map((approval) => viewOf(approval)), now, ...(cursor === undefined ? {} : { cursor }) };
    },
    async wholeId(typed, { tenant }) {
      if (isApprovalId(typed) || !APPROVAL_PREFIX.test(typed)) return typed;
      const { approvals, cursor } = await listedApprovals(listed, { tenant, status: "all", prefix: typed, limit: NAMED });
      const ids = [...new Set(approvals.map(({ approvalId }) => approvalId))];
      const [only] = ids;
      if (ids.length > 1) throw severalBeginSo(typed, ids);
      // A part of the list was not looked at, so another approval may begin like this too.
      if (cursor !== undefined) throw tooManyToBeSure(typed);
      return only ?? typed;
    },
  };
}

const APPROVALS = 20;
/** How many approvals a problem names. */
const NAMED = 5;

function timeOf(text: string): number {
  const ms = parseTime(text);
  if (ms !== null) return ms;
  throw new HttpProblem("invalid_request", "The time of `since` does not exist.", {
    remedy: "Send a time such as 2026-11-25T18:00:00Z, or milliseconds since 1970.",
    errors: [{ path: "/since", message: "is not a time" }],
  });
}

function severalBeginSo(typed: string, ids: readonly string[]): HttpProblem {
  return new HttpProblem("invalid_request", `Several approvals begin with "${typed}": ${ids.join(", ")}.`, {
    remedy: "Send more of the id.",
  });
}

function tooManyToBeSure(typed: string): HttpProblem {
  return new HttpProblem("invalid_request", `Too many approvals are listed to know whether only one begins with "${typed}".`, {
    remedy: "Send the whole id.",
  });
}

/** Reads a page of a list. Throws a problem if its cursor comes from no page. */
export async function atCursor<T>(page: () => Promise<T>): Promise<T> {
  try {
    return await page();
  } catch (error) {
    if (error instanceof RangeError)
      throw new HttpProblem("invalid_cursor", "This cursor does not come from a page.", { remedy: "Start again without a cursor." });
    throw error;
  }
}
