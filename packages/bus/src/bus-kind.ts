/** Which bus a URL names by its scheme; a refusal is one sentence that quotes nothing else of the URL. */
export type BusKind =
  | { readonly kind: "memory" | "amqp" | "nats" }
  /** No bus at all. */
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
