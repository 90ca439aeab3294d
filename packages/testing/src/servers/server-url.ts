import { type ServerKind, serverKinds } from "./server-kinds.ts";

/** A server's URL, split into its parts. Credentials are decoded. */
export interface ServerAddress {
  readonly host: string;
  readonly port: number;
  /** The user, or an empty text if the URL has none. */
  readonly user: string;
  readonly password: string;
  /** RabbitMQ's virtual host. */
  readonly virtualHost: string;
}

/** Parses a URL. If the URL is wrong, `problem` says why in half a sentence, without the password. */
export function parseServerUrl(kind: ServerKind, text: string): ServerAddress | { readonly problem: string } {
  const { name, scheme, usualPort } = serverKinds[kind];
  const url = URL.parse(text);
  if (!url || url.hostname === "") return { problem: `it is not a URL such as ${scheme}//127.0.0.1:${usualPort}` };
  if (url.protocol !== scheme) return { problem: `it begins with ${url.protocol}// and tests speak to ${name} over ${scheme}// only` };
  return {
    // An IPv6 address has brackets in a URL, but none in the options of a socket.
    host: url.hostname.replace(/^\[(.*)\]$/, "$1"),
    port: url.port === "" ? usualPort : Number(url.port),
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    virtualHost: url.pathname.length > 1 ? decodeURIComponent(url.pathname.slice(1)) : "/",
  };
}

/**
 * Returns the URL in a form that is safe to print. The result has `***` in place of the password or token, and contains nothing that is not part of
 * an address.
 */
export function withoutPassword(text: string): string {
  const url = URL.parse(text);
  // Without a host, the text is not a URL. For example, it may be only a login, whose first word looks like a scheme.
  if (!url || url.hostname === "") return "its value";
  return `${url.protocol}//${shownLogin(url)}${url.host}${url.pathname}`;
}

function shownLogin({ username, password }: URL): string {
  if (password !== "") return `${username}:***@`;
  // To NATS, a user without a password is a token.
  return username === "" ? "" : "***@";
}

/** A user of a server. */
export interface ServerLogin {
  readonly user: string;
  readonly password: string;
}

/** Returns a login in the form that a URL has before the host. */
export function urlLogin({ user, password }: ServerLogin): string {
  return `${encodeURIComponent(user)}:${encodeURIComponent(password)}@`;
}
