export { type OidcAccount, type OidcServer, type OidcServerOptions, OIDC_CLIENT, startOidcServer } from "./oidc-server.ts";
export { type AtProvider, signInAt } from "./sign-in-at.ts";
