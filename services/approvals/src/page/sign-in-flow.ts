import { hash } from "node:crypto";
import { isApprovalId } from "@toolbus/contracts";

/** A sign-in at the provider that has begun in a browser. */
export interface SignInFlow {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  /** The approval to show after signing in, or an empty text. */
  readonly to: string;
  /** Identifies the flow in the store, without its secret. */
  readonly mark: string;
}

/**
 * The sign-ins that have begun. Their only state is a cookie, so that a stranger who begins many of them stores nothing. `state`, `nonce` and the
 * verifier are computed from the cookie and from a secret of approvals. So nobody can change the cookie, and a `state` belongs to one browser.
 */
export interface SignInFlows {
  /** Begins a flow, and returns the cookie's value. */
  begin(to: string, now: number): { readonly cookie: string; readonly flow: SignInFlow };
  /** Returns the flow of a cookie and of the `state` that came back, or null if they do not belong together or the flow took too long. */
  find(cookie: string, state: string, now: number): SignInFlow | null;
}

export interface SignInFlowsOptions {
  readonly random: (bytes: number) => Uint8Array;
  /** Returns a text that only approvals can compute from these names. */
  readonly secretText: (names: readonly [purpose: string, ...names: string[]]) => string;
}

/** How long a person may take to sign in at the provider. */
export const FLOW_MS = 10 * 60_000;

export function signInFlows({ random, secretText }: SignInFlowsOptions): SignInFlows {
  return {
    begin(to, now) {
      const cookie = [Buffer.from(random(32)).toString("base64url"), String(now + FLOW_MS), to].join(".");
      return { cookie, flow: flowOf(cookie, to) };
    },
    find(cookie, state, now) {
      const [, expiresAt, to = ""] = FORM.exec(cookie) ?? [];
      if (expiresAt === undefined || (to !== "" && !isApprovalId(to))) return null;
      const flow = flowOf(cookie, to);
      // Compares hashes, because the time of a comparison of texts shows where they differ.
      if (hash("sha256", flow.state) !== hash("sha256", state)) return null;
      return now < Number(expiresAt) ? flow : null;
    },
  };

  function flowOf(cookie: string, to: string): SignInFlow {
    const textOf = (what: string): string => secretText(["sign-in", what, cookie]);
    const mark = hash("sha256", `toolbus-sign-in\n${cookie}`, "base64url");
    return { state: textOf("state"), nonce: textOf("nonce"), verifier: textOf("verifier"), to, mark };
  }
}

/** The form of a cookie: its secret, when it expires, and the approval to show. An approval's id contains dots too. */
const FORM = /^[\w-]{43}\.(\d{1,16})\.([\w.~-]{0,200})$/;
