import { APPROVAL_OUTCOMES, type ApprovalView, cardOf } from "@toolbus/contracts";
import { notice, type Page, type Person } from "./layout.ts";
import { type Markup, markup, unchanged } from "./markup.ts";
import { timeOf } from "./times.ts";

/** The filters of the history as a person typed them. */
export interface HistoryFilters {
  readonly status?: string;
  readonly since?: string;
  readonly tool?: string;
  readonly requester?: string;
}

/** What the history shows. `cursor` is the start of the next page. */
export interface HistoryPage {
  readonly approvals: readonly ApprovalView[];
  readonly cursor?: string;
  readonly isFirst: boolean;
  readonly typed: HistoryFilters;
  /** What is wrong with a filter. Nothing is listed then. */
  readonly fault?: { readonly field: keyof HistoryFilters; readonly text: string };
  readonly person: Person | undefined;
  readonly now: number;
}

/** Makes the page with the approvals that have ended, newest first, and a form of filters above them. */
export function historyPage(shown: HistoryPage): Page {
  const { approvals, cursor, isFirst, typed, fault, person, now } = shown;
  const nothing = cursor === undefined && isFirst ? "No approval with these filters has ended." : "Nothing on this page has these filters.";
  const list =
    approvals.length === 0 ? markup`<p>${nothing}</p>` : markup`<ol class="list">${approvals.map((view) => item(view, now))}</ol>`;
  return {
    title: "History",
    person,
    body: markup`${fault && notice("bad", fault.text)}<h1>History</h1>
<p class="soft">Approvals that have ended, newest first. An approval is listed for 30 days after its end.</p>
<section aria-labelledby="filters"><h2 id="filters">Filters</h2>${filterForm(shown)}</section>
${fault === undefined && list}
<p class="links">${cursor !== undefined && markup`<a href="${addressOf({ ...typed, cursor })}">Next page</a>`}${!isFirst && markup`<a href="${addressOf(typed)}">From the newest</a>`}<a href="/approvals/history">Without filters</a><a href="/approvals">All approvals that wait</a></p>`,
  };
}

/** Returns the address of a page of the history. Filters that are empty are left out. */
function addressOf(query: HistoryFilters & { readonly cursor?: string }): string {
  const set = Object.entries(query).filter((one): one is [string, string] => typeof one[1] === "string" && one[1] !== "");
  return set.length === 0 ? "/approvals/history" : `/approvals/history?${new URLSearchParams(set).toString()}`;
}

function filterForm({ typed, fault }: HistoryPage): Markup {
  const marked = (name: keyof HistoryFilters) => fault?.field === name && markup` aria-invalid="true"`;
  const field = (name: "since" | "tool" | "requester", label: string, type: "text" | "date"): Markup =>
    markup`<div><label for="${name}">${label}</label><input type="${type}" id="${name}" name="${name}" value="${unchanged(typed[name] ?? "")}" autocomplete="off"${marked(name)}></div>`;
  const options = APPROVAL_OUTCOMES.map(
    (one) => markup`<option value="${one}"${typed.status === one && markup` selected`}>${one.replaceAll("_", " ")}</option>`,
  );
  return markup`<form class="filters" method="get" action="/approvals/history"><div><label for="status">Outcome</label><select id="status" name="status"${marked("status")}><option value="">any</option>${options}</select></div>
${field("since", "Ended since (UTC)", "date")}${field("tool", "Tool", "text")}${field("requester", "Requester", "text")}<div><button>Filter</button></div></form>`;
}

function item(view: ApprovalView, now: number): Markup {
  const { title, status, decisions } = cardOf(view, now);
  const by =
    decisions.length > 0 && markup`<p class="soft">${decisions.map(({ label }, n) => markup`${n > 0 && ", "}<bdi>${label}</bdi>`)}</p>`;
  const ended = view.endedAt !== null && markup`, ended ${timeOf(view.endedAt)}`;
  return markup`<li class="item"><a class="value" href="/approvals/${view.id}">${title.text}</a>
<p class="state"><span class="tier ${view.tier}">${view.tier}</span> <strong>${status}</strong></p>
<p class="soft"><bdi>${view.tool}</bdi>, asked by <bdi>${view.requester}</bdi>${ended}</p>${by}</li>`;
}
