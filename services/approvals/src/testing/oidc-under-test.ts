import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import type { OidcFile } from "@toolbus/contracts";
import { OIDC_CLIENT, type OidcServer, type OidcServerOptions, signInAt, startOidcServer } from "@toolbus/oidc-server";
import { type Options, setup } from "./approvals-under-test.ts";
import type { browserOf } from "./page-under-test.ts";
import { type PageAnswer } from "./page-under-test.ts";

/** Ana approves everything, Ben only high writes, and Olga reads. Rita is the requester. Nora is in no group with rights. */
export const ACCOUNTS = {
  ana: { groups: ["approvers", "finance-team", "all-staff"], email: "ana@example.com", email_verified: true },
  ben: { groups: "refund-desk", email: "ben@example.com", email_verified: false },
  olga: { groups: ["operators"] },
  "sub-of-rita": { groups: ["approvers"] },
  nora: { groups: ["all-staff"] },
  gus: {},
} as const;

const GROUPS: OidcFile["groups"] = {
  approvers: { role: "approver", tiers: ["high", "critical"] },
  "finance-team": { role: "approver", tiers: ["high"], groups: ["finance"] },
  "refund-desk": { role: "approver", tiers: ["high"] },
  operators: { role: "operator" },
};

/** The file of a provider, with these changes. */
export function oidcFileOf(server: Pick<OidcServer, "issuer">, part: Partial<OidcFile> = {}): OidcFile {
  const people = { "sub-of-rita": { principal: "rita" }, gus: { principal: "gus", groups: ["refund-desk"] } };
  return {
    name: "Example login",
    issuer: server.issuer,
    ...OIDC_CLIENT,
    scopes: ["groups", "email"],
    tenant: "acme",
    groups: GROUPS,
    people,
    ...part,
  };
}

export interface OidcOptions extends Options {
  readonly server?: Partial<OidcServerOptions>;
  readonly file?: Partial<OidcFile>;
}

/** Approvals with a real provider of OIDC. */
export async function withOidc({ server: about = {}, file: part = {}, ...options }: OidcOptions = {}) {
  const server = await startOidcServer({ accounts: ACCOUNTS, ...about });
  const folder = await mkdtemp(path.join(os.tmpdir(), "oidc-"));
  const file = path.join(folder, "oidc.json");
  const write = (changed: Partial<OidcFile>): Promise<void> =>
    writeFile(file, JSON.stringify(oidcFileOf(server, { ...part, ...changed })), { mode: 0o600 });
  await write({});
  const t = await setup({ ...options, env: { APPROVALS_OIDC_FILE: file, WEBHOOK_ALLOWED_HOSTS: server.host, ...options.env } });
  return {
    t,
    server,
    /** Replaces the file of the provider. Approvals reads it at its start. */
    write,
    /** Begins a sign-in in this browser, signs in at the provider, and returns the path to which the provider sends the browser back. */
    async returning(browser: Browser, login?: string, { to, change = () => undefined }: Way = {}): Promise<string> {
      const begun = await browser.open(`/sign-in/oidc${to === undefined ? "" : `?to=${to}`}`);
      if (begun.location === undefined) throw new Error(`The sign-in did not begin: ${begun.text}`);
      const address = new URL(begun.location);
      change(address);
      const { pathname, search } = new URL(await signInAt(address.href, login === undefined ? {} : { login }));
      return pathname + search;
    },
    /** Signs in through the provider. */
    async signIn(browser: Browser, login: string, way: Way = {}): Promise<PageAnswer> {
      return browser.open(await this.returning(browser, login, way), FROM_THE_PROVIDER);
    },
    async [Symbol.asyncDispose]() {
      await t[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
      await rm(folder, { recursive: true });
    },
  };
}

export interface Way {
  /** The approval that the person opened. */
  readonly to?: string;
  /** Changes the address at the provider before the person opens it. */
  readonly change?: (address: URL) => void;
}

export type Browser = ReturnType<typeof browserOf>;

/** The headers of a request from a browser that comes from the provider. */
export const FROM_THE_PROVIDER = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" } as const;
