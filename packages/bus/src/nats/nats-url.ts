/** The settings in the URL of a NATS bus. */
export interface NatsSettings {
  /** The servers as `host:port`. One of them is enough to join a cluster. */
  readonly servers: readonly string[];
  /** True to insist on TLS. If it is false, the connection still uses TLS when the server requires it. */
  readonly tls: boolean;
  readonly login: NatsLogin;
  /** A part of every name of this bus on the servers, so that several buses can share the servers. */
  readonly namespace: string;
  /** The number of servers in a cluster that store each message. */
  readonly replicas: number;
  /** The maximum size of each stream, in bytes. The server reserves it. */
  readonly maxBytes: number;
}

export type NatsLogin =
  | { readonly kind: "none" }
  | { readonly kind: "password"; readonly user: string; readonly password: string }
  | { readonly kind: "token"; readonly token: string };

/** The settings, or else the reason why the URL was refused. The reason is one sentence, which quotes only the names of options from the URL. */
export type ParsedNatsUrl = { readonly ok: true; readonly settings: NatsSettings } | { readonly ok: false; readonly reason: string };

/**
 * Reads `nats://user:password@host:port?namespace=name`, or `tls://…` to insist on TLS. The URL may list several servers, separated by commas, with
 * the login before the first one. A login without a colon is a token. Special characters of a login are percent-encoded. The options are `namespace`
 * (`toolbus`), `replicas` (1) and `max-bytes` (256 MiB).
 */
export function parseNatsUrl(url: string): ParsedNatsUrl {
  const [, scheme = "", address = "", query = ""] = WHOLE_URL.exec(url) ?? [];
  if (!address) return refuse(`is not of the form ${EXAMPLE}`);
  const servers = address.split(",").map(parseServer);
  const hosts: string[] = [];
  let login: NatsLogin = { kind: "none" };
  for (const server of servers) {
    if (!server) return refuse(`names a server that is not of the form host:port; the whole is ${EXAMPLE}`);
    hosts.push(server.host);
    if (server.login.kind === "none") continue;
    if (login.kind !== "none") return refuse("has more than one login; put it before the first server only");
    login = server.login;
  }
  const options = parseOptions(new URLSearchParams(query));
  if (typeof options === "string") return refuse(options);
  return { ok: true, settings: { servers: hosts, tls: scheme.toLowerCase() === "tls", login, ...options } };
}

const EXAMPLE = "nats://user:password@host:4222?namespace=name";
const WHOLE_URL = /^(nats|tls):\/\/([^?#]+?)\/?(?:\?([^#]*))?$/i;
const DEFAULT_PORT = 4222;

function refuse(what: string): ParsedNatsUrl {
  return { ok: false, reason: `BUS_URL ${what}.` };
}

function parseServer(text: string): { readonly host: string; readonly login: NatsLogin } | null {
  // All servers have the same scheme. The scheme may be repeated before each server, as NATS's own tools write it.
  const parsed = URL.parse(`nats://${text.trim().replace(/^(?:nats|tls):\/\//i, "")}`);
  if (!parsed?.hostname || (parsed.pathname !== "" && parsed.pathname !== "/")) return null;
  const login = loginOf(parsed);
  return login && { host: `${parsed.hostname}:${parsed.port || DEFAULT_PORT}`, login };
}

function loginOf({ username, password }: URL): NatsLogin | null {
  if (!username && !password) return { kind: "none" };
  try {
    const user = decodeURIComponent(username);
    return password ? { kind: "password", user, password: decodeURIComponent(password) } : { kind: "token", token: user };
  } catch {
    return null;
  }
}

const KNOWN_OPTIONS: readonly string[] = ["namespace", "replicas", "max-bytes"];
const DEFAULT_MAX_BYTES = 256 * 1024 * 1024;
const LEAST_MAX_BYTES = 1024 * 1024;

function parseOptions(query: URLSearchParams): Pick<NatsSettings, "namespace" | "replicas" | "maxBytes"> | string {
  const unknown = [...query.keys()].find((name) => !KNOWN_OPTIONS.includes(name));
  if (unknown !== undefined) return `has the unknown option "${unknown.slice(0, 40)}"; known are ${KNOWN_OPTIONS.join(", ")}`;
  if (new Set(query.keys()).size < query.size) return "has one option twice";
  const namespace = query.get("namespace") ?? "toolbus";
  if (!/^[a-z0-9-]{1,40}$/.test(namespace)) return "has a namespace that is not 1 to 40 small letters, digits and hyphens";
  const replicas = Number(query.get("replicas") ?? 1);
  if (!Number.isInteger(replicas) || replicas < 1 || replicas > 5) return "has replicas that are not a number from 1 to 5";
  const maxBytes = Number(query.get("max-bytes") ?? DEFAULT_MAX_BYTES);
  if (!Number.isSafeInteger(maxBytes) || maxBytes < LEAST_MAX_BYTES)
    return `has max-bytes that are not a whole number of at least ${LEAST_MAX_BYTES}`;
  return { namespace, replicas, maxBytes };
}
