import { Refusal } from "@toolbus/runtime";
import type { ApprovalsConfig } from "../settings.ts";

/** How people reach the page. */
export type PageSettings = Pick<
  ApprovalsConfig,
  "APPROVALS_PUBLIC_URL" | "APPROVALS_PAGE_OVER_HTTP" | "APPROVALS_PAGE_KEY_SIGN_IN" | "HTTPS_ONLY"
>;

/** What the address of a request means for the session. */
export interface PagePlace {
  /** Whether people may sign in here. Over plain HTTP between two machines, anybody in between could read the key and the cookie. */
  readonly mayCarryKeys: boolean;
  readonly cookie: { readonly name: string; readonly secure: boolean };
  /** The origin to which a provider may send people back, or null if it is unknown. A `Host` header names it only on this machine. */
  readonly ownOrigin: string | null;
  /** The origins of this page's own forms. */
  readonly origins: readonly string[];
  /** `no-referrer`, except where browsers send no `Sec-Fetch-Site`. There a form's origin is the only proof of where it comes from. */
  readonly referrerPolicy: "no-referrer" | "same-origin";
}

/** Returns what a `Host` header says about the way of a request. A browser writes the header itself, so a page of another site cannot change it. */
export function placeOf(settings: PageSettings, host: string): PagePlace {
  const address = URL.parse(settings.APPROVALS_PUBLIC_URL);
  const secure = settings.HTTPS_ONLY === "true" || address?.protocol === "https:";
  const local = isThisMachine(host);
  return {
    mayCarryKeys: secure || local || settings.APPROVALS_PAGE_OVER_HTTP === "true",
    // A browser accepts a name with this prefix only with Secure, without a domain, and for the whole host. So no other host can set it.
    cookie: { name: secure ? "__Host-toolbus-approvals" : "toolbus-approvals", secure },
    ownOrigin: address?.origin ?? (local ? `http://${host}` : null),
    origins: [`http://${host}`, `https://${host}`, ...(address === null ? [] : [address.origin])],
    referrerPolicy: secure || local ? "no-referrer" : "same-origin",
  };
}

/** Throws a `Refusal` if the public address has more than an origin. The links of the page begin at the root of its address. */
export function checkPublicUrl({ APPROVALS_PUBLIC_URL: address }: Pick<PageSettings, "APPROVALS_PUBLIC_URL">): void {
  if (address === "" || [`${URL.parse(address)?.origin}`, `${URL.parse(address)?.origin}/`].includes(address)) return;
  throw new Refusal(
    `APPROVALS_PUBLIC_URL is more than scheme, host and port: the page is at the root of its address, as in https://approvals.example.com.`,
  );
}

/** Throws a `Refusal` if nobody could sign in on the page. */
export function refuseClosedPage(config: Pick<ApprovalsConfig, "APPROVALS_PAGE_KEY_SIGN_IN" | "APPROVALS_OIDC_FILE">): void {
  if (config.APPROVALS_PAGE_KEY_SIGN_IN === "true" || config.APPROVALS_OIDC_FILE !== "") return;
  throw new Refusal(
    "APPROVALS_PAGE_KEY_SIGN_IN=false lets nobody sign in on the approval page: name a provider in APPROVALS_OIDC_FILE, or allow keys.",
  );
}

/** Returns the whole address of an approval's page, or undefined if no operator has said where people reach approvals. */
export function pageLinkOf({ APPROVALS_PUBLIC_URL: address }: Pick<PageSettings, "APPROVALS_PUBLIC_URL">, id: string): string | undefined {
  return address === "" ? undefined : new URL(`/approvals/${id}`, address).href;
}

function isThisMachine(host: string): boolean {
  const name = URL.parse(`http://${host}`)?.hostname ?? "";
  return name === "localhost" || name.endsWith(".localhost") || name === "[::1]" || /^127(?:\.\d+){3}$/.test(name);
}
