import type { OidcClaims } from "./oidc-person.ts";

/** The secrets of one sign-in at the provider. */
export interface OidcFlow {
  readonly redirectUri: string;
  readonly state: string;
  readonly nonce: string;
  /** The verifier of PKCE. */
  readonly verifier: string;
}

/** The provider of OIDC, which proves who a person is by the code flow with PKCE. */
export interface OidcClient {
  /** Returns the address at which the person signs in. */
  addressFor(flow: OidcFlow): Promise<string>;
  /**
   * Exchanges the code with which the person came back, and returns what the signed ID token says about the person. If the ID token lacks one of the
   * wanted claims, it also asks the UserInfo endpoint.
   */
  claimsFor(returned: URL, flow: OidcFlow): Promise<OidcClaims>;
}

/** Why a sign-in failed. `why` has nothing secret. The error has no cause, because the cause may contain parts of a token. */
export class OidcFault extends Error {
  override readonly name = "OidcFault";
  /** `unusable` means that the provider cannot be used now, and `refused` that this sign-in proves nothing. */
  readonly kind: "unusable" | "refused";
  readonly why: string;

  constructor(kind: "unusable" | "refused", why: string) {
    super(`A sign-in at the provider failed: ${why}`);
    this.kind = kind;
    this.why = why;
  }
}
