/** What the URL of a RabbitMQ bus says. */
export interface AmqpSettings {
  readonly protocol: "amqp" | "amqps";
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  /** As people write it: `/`, not `%2F`. */
  readonly vhost: string;
  /** In seconds. If the other side is silent for two to three of these, the connection is given up. */
  readonly heartbeat: number;
  /** The prefix of every exchange and queue of this bus, so that several can share a virtual host. */
  readonly namespace: string;
  /** Where the policies can be read; null if they are not checked. */
  readonly management: ManagementAddress | null;
}

/** RabbitMQ's HTTP API. */
export interface ManagementAddress {
  /** Without credentials, and without a slash at the end. */
  readonly url: string;
  readonly user: string;
  readonly password: string;
}

/** A refusal is one sentence that quotes nothing from the URL but the names of its options. */
export type ParsedAmqpUrl = { readonly ok: true; readonly settings: AmqpSettings } | { readonly ok: false; readonly reason: string };

/**
 * Reads `amqp://user:password@host:port/vhost?namespace=name`, or `amqps://…` for TLS. Special characters of credentials and virtual host are
 * percent-encoded; without credentials it is RabbitMQ's `guest`. Options: `namespace` (`toolbus`), `heartbeat` in seconds (15), and `management`,
 * the percent-encoded http or https address of the management plugin: with it the policies are compared at start, without it nobody checks them.
 */
export function parseAmqpUrl(url: string): ParsedAmqpUrl {
  const parsed = URL.parse(url);
  if (!parsed?.hostname) return refuse(`is not of the form ${EXAMPLE}`);
  const protocol = parsed.protocol === "amqps:" ? "amqps" : "amqp";
  const unknown = [...parsed.searchParams.keys()].find((name) => !KNOWN_OPTIONS.includes(name));
  if (unknown !== undefined) return refuse(`has the unknown option "${unknown.slice(0, 40)}"; known are ${KNOWN_OPTIONS.join(", ")}`);
  const namespace = parsed.searchParams.get("namespace") ?? "toolbus";
  if (!/^[a-z0-9-]{1,40}$/.test(namespace)) return refuse("has a namespace that is not 1 to 40 small letters, digits and hyphens");
  const heartbeat = Number(parsed.searchParams.get("heartbeat") ?? 15);
  if (!Number.isInteger(heartbeat) || heartbeat < 1 || heartbeat > 300)
    return refuse("has a heartbeat that is not a whole number of seconds from 1 to 300");
  const login = loginOf(parsed) ?? { user: "guest", password: "guest" };
  const vhost = decoded(parsed.pathname.slice(1));
  if (login === "broken" || vhost === null) return refuse("has a percent sign that encodes nothing; write %25 for the sign itself");
  const management = managementOf(parsed.searchParams.get("management"), login);
  if (management === "broken") return refuse("has a management address that is not of the form http://host:15672");
  const port = Number(parsed.port) || (protocol === "amqps" ? 5671 : 5672);
  // An IPv6 address stands in brackets in a URL and nowhere else.
  const host = parsed.hostname.replace(/^\[(.*)\]$/, "$1");
  return { ok: true, settings: { protocol, host, port, ...login, vhost: vhost || "/", heartbeat, namespace, management } };
}

const EXAMPLE = "amqp://user:password@host:5672/vhost?namespace=name";
const KNOWN_OPTIONS: readonly string[] = ["namespace", "heartbeat", "management"];

interface Login {
  readonly user: string;
  readonly password: string;
}

function refuse(what: string): ParsedAmqpUrl {
  return { ok: false, reason: `BUS_URL ${what}.` };
}

/** Null if the URL has no login. */
function loginOf({ username, password }: URL): Login | "broken" | null {
  if (!username && !password) return null;
  const login = { user: decoded(username), password: decoded(password) };
  return login.user === null || login.password === null ? "broken" : { user: login.user, password: login.password };
}

function managementOf(address: string | null, login: Login): ManagementAddress | "broken" | null {
  if (address === null) return null;
  const parsed = URL.parse(address);
  if (!parsed || !/^https?:$/.test(parsed.protocol)) return "broken";
  const own = loginOf(parsed) ?? login;
  if (own === "broken") return "broken";
  return { url: `${parsed.origin}${parsed.pathname.replace(/\/+$/, "")}`, ...own };
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
