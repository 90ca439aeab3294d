/** The kind of bus that the scheme of a URL names. The reason is one sentence, which quotes only the scheme. */
export type BusKind =
  | { readonly kind: "memory" | "amqp" | "nats" }
  /** The URL names no bus. */
  | { readonly kind: "none"; readonly reason: string };

export function busKind(url: string): BusKind {
  const scheme = /^[a-z][a-z0-9+.-]*:/i.exec(url)?.[0].toLowerCase() ?? "";
  switch (scheme) {
    case "memory:":
      if (url.length === scheme.length) return { kind: "memory" };
      return { kind: "none", reason: `BUS_URL is exactly "memory:" for the bus in this process, with nothing behind it.` };
    case "amqp:":
    case "amqps:":
      return { kind: "amqp" };
    case "nats:":
    case "tls:":
      return { kind: "nats" };
    default:
      return {
        kind: "none",
        reason: `BUS_URL ${scheme ? `starts with ${scheme} which is not a bus` : "names no scheme"}; accepted are memory:, amqp:// and nats:// (amqps:// and tls:// to insist on TLS).`,
      };
  }
}
