import { type ServerKind, serverKinds } from "./server-kinds.ts";

/** A server's URL, split into its parts. Credentials are decoded. */
export interface ServerAddress {
  readonly host: string;
  readonly port: number;
  /** Empty where the URL names none. */
  readonly user: string;
  readonly password: string;
  /** RabbitMQ's virtual host. */
  readonly virtualHost: string;
}

/** Reads a URL, or says in half a sentence, without the password, what is wrong with it. */
export function parseServerUrl(kind: ServerKind, text: string): ServerAddress | { readonly problem: string } {
  const { name, scheme, usualPort } = serverKinds[kind];
  const url = URL.parse(text);
  if (!url || url.hostname === "") return { problem: `it is not a URL such as ${scheme}//127.0.0.1:${usualPort}` };
  if (url.protocol !== scheme) return { problem: `it begins with ${url.protocol}// and tests speak to ${name} over ${scheme}// only` };
  return {
    // An IPv6 address stands in brackets in a URL, and in none in a socket's options.
    host: url.hostname.replace(/^\[(.*)\]$/, "$1"),
    port: url.port === "" ? usualPort : Number(url.port),
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    virtualHost: url.pathname.length > 1 ? decodeURIComponent(url.pathname.slice(1)) : "/",
  };
}

/** The URL as it may be printed: its password is replaced, and so is all that is no part of an address. */
export function withoutPassword(text: string): string {
  const url = URL.parse(text);
  // Without a host it is something else, such as a login alone, whose first word passes for a scheme.
  if (!url || url.hostname === "") return "its value";
  return `${url.protocol}//${shownLogin(url)}${url.host}${url.pathname}`;
}

function shownLogin({ username, password }: URL): string {
  if (password !== "") return `${username}:***@`;
  // A user alone is a token to NATS.
  return username === "" ? "" : "***@";
}

/** A user of a server. */
export interface ServerLogin {
  readonly user: string;
  readonly password: string;
}

/** As a URL has it before the host. */
export function urlLogin({ user, password }: ServerLogin): string {
  return `${encodeURIComponent(user)}:${encodeURIComponent(password)}@`;
}
