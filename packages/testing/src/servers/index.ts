export { describeOnPrivateServer, describeOnServer } from "./describe-on-server.ts";
export { findServer } from "./find-server.ts";
export type { PrivateServer, PrivateServerOptions } from "./private-server.ts";
export { type NamedTopology, removeNamespace } from "./remove-namespace.ts";
export type { ServerKind } from "./server-kinds.ts";
export { type ServersWithLogins, type ServersWithLoginsOptions, startServersWithLogins } from "./servers-with-logins.ts";
export { startPrivateServer } from "./start-private-server.ts";
export { type TcpProxy, tcpProxy } from "./tcp-proxy.ts";
export type { ServerMissing, ServerSource, TestServer } from "./test-server.ts";
