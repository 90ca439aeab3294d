/** The settings in the URL of a RabbitMQ bus. */
export interface AmqpSettings {
  readonly protocol: "amqp" | "amqps";
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  /** The virtual host in plain text: `/` rather than `%2F`. */
  readonly vhost: string;
  /**
   * The interval of heartbeats, in seconds. If one side is silent for two to three intervals, the other closes the connection. So the broker gives the
   * messages of a frozen process, or of one whose machine is gone, to another process after this time.
   */
  readonly heartbeat: number;
  /** The prefix of every exchange and queue of this bus, so that several buses can share a virtual host. */
  readonly namespace: string;
  /** The address for reading the policies, or null if nobody checks them. */
  readonly management: ManagementAddress | null;
}

/** The address of RabbitMQ's HTTP API. */
export interface ManagementAddress {
  /** The URL without credentials and without a slash at the end. */
  readonly url: string;
  readonly user: string;
  readonly password: string;
}

/** The settings, or else the reason why the URL was refused. The reason is one sentence, which quotes only the names of options from the URL. */
export type ParsedAmqpUrl = { readonly ok: true; readonly settings: AmqpSettings } | { readonly ok: false; readonly reason: string };

/**
 * Reads `amqp://user:password@host:port/vhost?namespace=name`, or `amqps://…` for TLS. Special characters of the credentials and the virtual
 * host are percent-encoded. Without credentials the login is RabbitMQ's `guest`. The options are `namespace` (`toolbus`), `heartbeat` in seconds
 * (5), and `management`, the percent-encoded http or https address of the management plugin. The bus compares the policies at start only if it
 * has this address.
 */
export function parseAmqpUrl(url: string): ParsedAmqpUrl {
  const parsed = URL.parse(url);
  if (!parsed?.hostname) return refuse(`is not of the form ${EXAMPLE}`);
  const protocol = parsed.protocol === "amqps:" ? "amqps" : "amqp";
  const unknown = [...parsed.searchParams.keys()].find((name) => !KNOWN_OPTIONS.includes(name));
  if (unknown !== undefined) return refuse(`has the unknown option "${unknown.slice(0, 40)}"; known are ${KNOWN_OPTIONS.join(", ")}`);
  const namespace = parsed.searchParams.get("namespace") ?? "toolbus";
  if (!/^[a-z0-9-]{1,40}$/.test(namespace)) return refuse("has a namespace that is not 1 to 40 small letters, digits and hyphens");
  const heartbeat = Number(parsed.searchParams.get("heartbeat") ?? HEARTBEAT_S);
  if (!Number.isInteger(heartbeat) || heartbeat < 1 || heartbeat > 300)
    return refuse("has a heartbeat that is not a whole number of seconds from 1 to 300");
  const login = loginOf(parsed) ?? { user: "guest", password: "guest" };
  const vhost = decoded(parsed.pathname.slice(1));
  if (login === "broken" || vhost === null) return refuse("has a percent sign that encodes nothing; write %25 for the sign itself");
  const management = managementOf(parsed.searchParams.get("management"), login);
  if (management === "broken") return refuse("has a management address that is not of the form http://host:15672");
  const port = Number(parsed.port) || (protocol === "amqps" ? 5671 : 5672);
  // An IPv6 address has brackets only in a URL.
  const host = parsed.hostname.replace(/^\[(.*)\]$/, "$1");
  return { ok: true, settings: { protocol, host, port, ...login, vhost: vhost || "/", heartbeat, namespace, management } };
}

/** The least value that RabbitMQ recommends. With a lower one, a busy process or network may look dead. */
const HEARTBEAT_S = 5;
const EXAMPLE = "amqp://user:password@host:5672/vhost?namespace=name";
const KNOWN_OPTIONS: readonly string[] = ["namespace", "heartbeat", "management"];

interface Login {
  readonly user: string;
  readonly password: string;
}

function refuse(what: string): ParsedAmqpUrl {
  return { ok: false, reason: `BUS_URL ${what}.` };
}

/** Returns null if the URL has no login, and "broken" if a percent sign in it encodes nothing. */
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
