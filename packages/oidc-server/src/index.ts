export { type OidcAccount, type OidcServer, type OidcServerOptions, OIDC_CLIENT, OIDC_MACHINE, startOidcServer } from "./oidc-server.ts";
export { signInAt } from "./sign-in-at.ts";
