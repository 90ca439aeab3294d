import type { HttpProblem } from "@toolbus/runtime";
import { hidden, notice, type Page, type Person } from "./layout.ts";
import { type Markup, markup } from "./markup.ts";

/** The sign-in page, and how people may sign in. */
export interface SignInPage {
  /** The approval that the person opened, or an empty text. */
  readonly to: string;
  readonly fault?: string;
  /** Whether people may sign in with an API key. */
  readonly key: boolean;
  /** The name of the provider at which people may sign in. Absent if there is none. */
  readonly provider?: string;
}

/** Makes the page on which a person signs in. */
export function signInPage({ to, fault, key, provider }: SignInPage): Page {
  return {
    title: "Sign in",
    body: markup`${fault !== undefined && notice("bad", fault)}<h1>Sign in</h1>
${provider !== undefined && providerLink(provider, to)}${key && keyForm(to)}`,
  };
}

// This is a link, because the policy of the page lets no form lead to another site, not even through a redirect.
function providerLink(provider: string, to: string): Markup {
  const query = to === "" ? "" : `?to=${encodeURIComponent(to)}`;
  return markup`<section><p class="hint">The session ends after 8 hours and when you sign out.</p>
<a class="button" href="/sign-in/oidc${query}">Sign in with ${provider}</a></section>`;
}

function keyForm(to: string): Markup {
  return markup`<section><form method="post" action="/sign-in">${hidden({ to })}<label for="key">API key of an approver</label>
<p class="hint" id="key-hint">The session ends after 8 hours, when you sign out, and when the key is removed.</p>
<input type="password" id="key" name="key" required maxlength="512" autocomplete="current-password" aria-describedby="key-hint"><button class="yes">Sign in</button></form></section>`;
}

/** Makes the page that says why nobody may sign in at this address. */
export function plainHttpPage(): Page {
  return {
    title: "Sign in",
    body: markup`<h1>Not over plain HTTP</h1><section class="tight"><p>${OVER_HTTP}</p></section>`,
  };
}

/** Makes the page for a person of the provider who has no rights here. */
export function noRolePage({ provider, person }: { readonly provider: string; readonly person: string }): Page {
  return {
    title: "No role",
    body: markup`<h1>You have no role here</h1>
<section class="tight" role="alert"><p>You are signed in at ${provider} as <bdi>${person}</bdi>, but have no role here.</p>
<p>Ask an operator to map one of your groups.</p></section><p><a href="/sign-in">Sign in</a></p>`,
  };
}

/** Why nobody may sign in at an address, and what to do. */
export const OVER_HTTP =
  "This address is plain HTTP on another machine, so anybody in between could read your key. Open the page over HTTPS, or on the machine itself. An operator can set APPROVALS_PUBLIC_URL to an https address, or allow this with APPROVALS_PAGE_OVER_HTTP=true.";

/** Makes the page of a refusal. */
export function problemPage(problem: HttpProblem, person?: Person): Page {
  const { title, detail, remedy } = problem.body();
  return {
    title,
    person,
    body: markup`<h1>${title}</h1>
<section class="tight" role="alert"><p>${detail}</p>${remedy !== undefined && markup`<p>${remedy}</p>`}</section>
<p><a href="/approvals">All approvals that wait</a></p>`,
  };
}

/**
 * Makes the page that opens the same address again. The browser sends the cookie only if the request comes from this site, so a person who followed a
 * link in a message would otherwise have to sign in again.
 */
export function openAgainPage(path: string): Page {
  return {
    title: "Opening",
    head: markup`<meta http-equiv="refresh" content="0;url=${path}">`,
    body: markup`<h1>Opening</h1><p><a href="${path}">Continue to the approval page</a></p>`,
  };
}
