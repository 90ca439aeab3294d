import {
  type ApprovalView,
  type ArgumentChange,
  cardOf,
  changesInWords,
  counted,
  type DecisionForm,
  type Problem,
} from "@toolbus/contracts";
import { choiceInWords, type EditField, isAbout } from "../decisions/edit-fields.ts";
import { safeText } from "../decisions/safe-text.ts";
import { approveFields } from "./decision-forms.ts";
import { hidden, notice, type Page, type Person } from "./layout.ts";
import { type Markup, markup, unchanged } from "./markup.ts";

/** What the pages of an edit show. */
interface Shown {
  readonly view: ApprovalView;
  readonly person: Person | undefined;
  /** The token of the forms of this approval and session. */
  readonly form: string;
  readonly now: number;
}

export interface EditPage extends Shown {
  readonly fields: readonly EditField[];
  /** What the person typed, by the name of the field. */
  readonly typed?: Readonly<Record<string, string | undefined>>;
  /** Why the arguments cannot be approved, and what is wrong with which one. */
  readonly fault?: { readonly text: string; readonly problems: readonly Problem[] };
}

/** Makes the page with a field for each argument. It decides nothing. */
export function editPage({ view, person, form, now, fields, typed = {}, fault }: EditPage): Page {
  const { title } = cardOf(view, now);
  const elsewhere = fault?.problems.filter((problem) => !fields.some((field) => isAbout(field, problem))) ?? [];
  return {
    title: `Edit: ${title.text}`,
    person,
    body: markup`${fault && notice("bad", sentenceOf(fault.text, elsewhere))}<h1>Approve with other arguments</h1>
<p>${title.text}</p>
<p class="soft">Nothing is decided yet. The next page shows what would change.</p>
<form method="post" action="/approvals/${view.id}/edit">${hidden({ form, argumentsHash: view.argumentsHash })}${fields.map((field) =>
      control(
        field,
        typed[field.id] ?? field.text,
        fault?.problems.filter((problem) => isAbout(field, problem)),
      ),
    )}<button class="yes">Show what changes</button></form>
<p class="links"><a href="/approvals/${view.id}">Back to the approval</a></p>`,
  };
}

export interface PreviewPage extends Shown {
  readonly changes: readonly ArgumentChange[];
  /** The effect with the changed arguments, and what they need. */
  readonly after: { readonly effect: string; readonly tier: string; readonly need: number; readonly reasons: readonly string[] };
  /** The changes as the form of the decision sends them. */
  readonly sent: string;
  /** What the person typed, by the name of the field. */
  readonly fields: Readonly<Record<string, string>>;
  readonly token: string;
  readonly needsTicket: boolean;
  /** How many approvals no longer count after the edit. */
  readonly voids: number;
  readonly typed?: Pick<DecisionForm, "decision" | "comment" | "ticket">;
}

/** Makes the page that shows an edit before somebody approves it. */
export function previewPage(shown: PreviewPage): Page {
  const { view, person, form, now, changes, after, sent, fields, token, voids } = shown;
  const { title } = cardOf(view, now);
  const raised = after.tier !== view.tier;
  const plans = view.plan !== undefined || view.planning === true;
  return {
    title: `Check the edit: ${title.text}`,
    person,
    body: markup`<h1>Check the edit</h1>
<section aria-labelledby="changes"><h2 id="changes">What changes</h2><ul>${changes.map((change) => markup`<li class="value">${safeText(changesInWords([change]))}</li>`)}</ul></section>
<section aria-labelledby="after"><h2 id="after">What would be done</h2><p class="value">${safeText(after.effect)}</p>
<p class="state"><span class="tier ${after.tier}">${after.tier}</span> ${raised && `raised from ${view.tier}, `}needs ${counted(after.need, "approver")}</p>
${raised && markup`<ul>${after.reasons.map((reason) => markup`<li class="value">${safeText(reason)}</li>`)}</ul>`}</section>
${voids > 0 && notice("bad", `${counted(voids, "approval")} of the arguments before ${voids === 1 ? "does" : "do"} not count any more.`)}
<section aria-labelledby="decide"><h2 id="decide">Decide</h2><form method="post" action="/approvals/${view.id}/decision">${hidden({ form, token, decision: "approve", argumentsHash: view.argumentsHash, changes: sent })}${approveFields({ view: { ...view, tier: after.tier as ApprovalView["tier"] }, needsTicket: shown.needsTicket, typed: shown.typed })}${plans && markup`<p class="hint">Its worker then plans the write with these arguments. Nobody has approved it before that.</p>`}<button class="yes">${plans ? "Change the arguments" : "Approve with these arguments"}</button></form></section>
<form method="post" action="/approvals/${view.id}/edit">${hidden({ ...fields, form, argumentsHash: view.argumentsHash, again: "yes" })}<button class="small">Edit again</button></form>
<p class="links"><a href="/approvals/${view.id}">Back to the approval</a></p>`,
  };
}

function control(
  { name, id, kind, choices, isRequired, isConcealed, hint }: EditField,
  text: string,
  problems: readonly Problem[] = [],
): Markup {
  const hints = [
    hint === "" || /[.!?]$/.test(hint) ? hint : `${hint}.`,
    isConcealed ? "The page does not show this value. Leave the field empty to keep it." : "",
    kind === "json" ? "As JSON." : "",
    !isRequired && !isConcealed ? "Optional: an empty field removes it." : "",
  ].filter(Boolean);
  const said = problems.map(({ path, message }) => `${path.split("/").length > 2 ? `${path} ` : "This "}${message}.`);
  const described = (hints.length > 0 || said.length > 0) && markup` aria-describedby="${id}-hint"`;
  const marked = markup`${described}${said.length > 0 && markup` aria-invalid="true"`}`;
  return markup`<label for="${id}"><bdi>${name}</bdi></label>${(hints.length > 0 || said.length > 0) && markup`<p class="hint" id="${id}-hint">${said.length > 0 && markup`<strong>${said.join(" ")}</strong> `}${hints.join(" ")}</p>`}${input()}`;

  function input(): Markup {
    if (kind === "choice") {
      const none = (!isRequired || isConcealed || text === "") && markup`<option value="">${isConcealed ? "as it is" : "none"}</option>`;
      return markup`<select id="${id}" name="${id}"${marked}>${none}${choices.map((one) => markup`<option value="${unchanged(one)}"${one === text && markup` selected`}>${choiceInWords(one)}</option>`)}</select>`;
    }
    if (kind === "json" || text.includes("\n") || text.length > 80)
      // A browser drops the first line break of a text field, so the template begins with one.
      return markup`<textarea id="${id}" name="${id}" rows="4" autocomplete="off"${marked}>
${unchanged(text)}</textarea>`;
    return markup`<input type="text" id="${id}" name="${id}" value="${unchanged(text)}" autocomplete="off"${kind === "number" && markup` inputmode="decimal"`}${marked}>`;
  }
}

function sentenceOf(text: string, problems: readonly Problem[]): string {
  return [text, ...problems.map(({ path, message }) => `${path} ${message}.`)].join(" ");
}
