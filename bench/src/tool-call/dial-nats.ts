import { connect, type ConnectionOptions, type NatsConnection } from "@nats-io/transport-node";

/** Connects to an address that may contain a login. The client accepts a login only as options. */
export async function dialNats(url: string, options: ConnectionOptions = {}): Promise<NatsConnection> {
  const { host, username, password, protocol } = new URL(url);
  const user = decodeURIComponent(username);
  const pass = decodeURIComponent(password);
  const login = pass ? { user, pass } : user ? { token: user } : {};
  return connect({ servers: host, ...login, ...(protocol === "tls:" ? { tls: {} } : {}), ...options });
}
