import { APPROVAL_OUTCOMES, type ApprovalOutcome, pageHistoryQuery, parseTime } from "@toolbus/contracts";
import { getRoute, HttpProblem, type Incoming, type RenderProblem, type Route } from "@toolbus/runtime";
import { type ApprovalsWanted, listedApprovals } from "../decisions/approval-list.ts";
import { viewOf } from "../decisions/view.ts";
import { type HistoryFilters, historyPage } from "./history-page.ts";
import type { PageOptions } from "./page-options.ts";
import type { PageSession } from "./page-session.ts";
import { htmlAnswer } from "./route-docs.ts";
import { sendPage } from "./send-page.ts";
import { READERS } from "./sign-in-routes.ts";

export interface HistoryRouteOptions extends Pick<PageOptions, "state" | "documents" | "clock"> {
  readonly session: PageSession;
  readonly page: RenderProblem;
}

const ON_A_PAGE = 20;

/** Returns the route with which people read what has ended in their tenant. The same people may read the list of the API. */
export function historyRoute({ state, documents, clock, session, page }: HistoryRouteOptions): Route {
  return getRoute({
    page,
    credential: session.credential,
    url: "/approvals/history",
    access: READERS,
    docs: { operationId: "openHistory", tag: "Page", summary: "Shows what has ended.", answers: { 200: htmlAnswer }, problems: [] },
    query: pageHistoryQuery,
    handle: (incoming) => history(incoming, incoming.query),
  });

  async function history(incoming: Incoming, query: HistoryFilters & { readonly cursor?: string }): Promise<string> {
    const { cursor: from = "", ...typed } = query;
    const shown = { typed, isFirst: from === "", person: session.personOf(incoming.request), now: clock() };
    const read = wantedOf(typed);
    if (!read.ok) return sendPage(incoming, session, historyPage({ ...shown, approvals: [], fault: read.fault }), 400);
    const start = from === "" ? {} : { cursor: from };
    const wanted = { ...read.wanted, ...start, tenant: incoming.principal.tenant, limit: ON_A_PAGE };
    try {
      const { approvals, cursor } = await listedApprovals({ state, documents }, wanted);
      const views = approvals.map((approval) => viewOf(approval));
      return sendPage(incoming, session, historyPage({ ...shown, approvals: views, ...(cursor === undefined ? {} : { cursor }) }));
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      throw new HttpProblem("invalid_cursor", "This address does not come from a page of the history.", {
        remedy: "Open the history again.",
      });
    }
  }
}

type Read =
  | { readonly ok: true; readonly wanted: Pick<ApprovalsWanted, "status" | "since" | "tool" | "requester"> }
  | { readonly ok: false; readonly fault: { readonly field: keyof HistoryFilters; readonly text: string } };

/** Reads the filters as a person typed them. An empty filter has no effect. Returns a sentence about the first filter that cannot be read. */
function wantedOf({ status = "", since = "", tool = "", requester = "" }: HistoryFilters): Read {
  const outcome = APPROVAL_OUTCOMES.find((one) => one === status);
  if (status !== "" && outcome === undefined) return no("status", "No approval ends like this. Choose an outcome of the list.");
  const day = since.trim();
  const from = day === "" ? undefined : parseTime(`${day}T00:00:00Z`);
  if (from === null) return no("since", "This is no day. Type one such as 2026-11-25.");
  const [name, person] = [tool.trim(), requester.trim()];
  if (name.length > MAX_TOOL) return no("tool", `The name of a tool has at most ${MAX_TOOL} characters.`);
  if (person.length > MAX_PERSON) return no("requester", `A requester has at most ${MAX_PERSON} characters.`);
  const ended: ApprovalOutcome | "ended" = outcome ?? "ended";
  return { ok: true, wanted: { status: ended, since: from, tool: name || undefined, requester: person || undefined } };
}

const MAX_TOOL = 64;
const MAX_PERSON = 200;

function no(field: keyof HistoryFilters, text: string): Read {
  return { ok: false, fault: { field, text } };
}
