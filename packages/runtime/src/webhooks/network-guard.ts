import { lookup as resolveName, type LookupAddress } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";

/** The hosts that the operator allows even if they are not public, as `name` or `name:port` in lower case. */
export type AllowedHosts = ReadonlySet<string>;

export type ResolveName = (name: string, options: { readonly all: true }, done: ResolvedName) => void;
type ResolvedName = (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void;

/**
 * The addresses outside the public Internet: this machine, private networks, links, the metadata addresses of clouds, and tunnels into any of them.
 */
const NOT_PUBLIC: readonly (readonly ["ipv4" | "ipv6", string, number])[] = [
  ["ipv4", "0.0.0.0", 8],
  ["ipv4", "10.0.0.0", 8],
  ["ipv4", "100.64.0.0", 10],
  ["ipv4", "127.0.0.0", 8],
  ["ipv4", "169.254.0.0", 16],
  ["ipv4", "172.16.0.0", 12],
  ["ipv4", "192.0.0.0", 24],
  ["ipv4", "192.0.2.0", 24],
  ["ipv4", "192.168.0.0", 16],
  ["ipv4", "198.18.0.0", 15],
  ["ipv4", "198.51.100.0", 24],
  ["ipv4", "203.0.113.0", 24],
  ["ipv4", "224.0.0.0", 3],
  // This covers :: and ::1. It also covers the old form of IPv4 addresses in IPv6, which Node's block list does not treat as IPv4.
  ["ipv6", "::", 96],
  // Translators between IPv4 and IPv6 forward these to the IPv4 address in the last four bytes.
  ["ipv6", "::ffff:0:0:0", 96],
  ["ipv6", "64:ff9b::", 96],
  ["ipv6", "64:ff9b:1::", 48],
  ["ipv6", "100::", 64],
  ["ipv6", "2001::", 32],
  ["ipv6", "2001:db8::", 32],
  ["ipv6", "2002::", 16],
  ["ipv6", "fc00::", 7],
  ["ipv6", "fe80::", 9],
  ["ipv6", "ff00::", 8],
];

const blocked = new BlockList();
for (const [family, network, prefix] of NOT_PUBLIC) blocked.addSubnet(network, prefix, family);

/** Returns whether an IP address belongs to the public Internet. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  return family !== 0 && !blocked.check(address, family === 4 ? "ipv4" : "ipv6");
}

/** Returns whether the operator allows this host, whatever its addresses are. */
export function isAllowedHost({ hostname, host }: Pick<URL, "hostname" | "host">, allowed: AllowedHosts): boolean {
  return allowed.has(hostname) || allowed.has(host);
}

/**
 * Returns why the address is forbidden, or null if it is allowed. It does not resolve the name. Without the operator's permission only https at port
 * 443 of the public Internet is allowed.
 */
export function whyNotCalled(url: URL, allowed: AllowedHosts): string | null {
  if (url.username !== "" || url.password !== "") return "its address contains a user or a password";
  if (url.protocol !== "https:" && url.protocol !== "http:") return "its address is neither https nor http";
  if (isAllowedHost(url, allowed)) return null;
  if (url.protocol !== "https:") return "its address is not https, and its host is not allowed";
  if (url.port !== "") return `its port ${url.port} is not 443, and its host is not allowed`;
  const literal = url.hostname.replace(/^\[|\]$/g, "");
  if (isIP(literal) !== 0 && !isPublicAddress(literal)) return `${literal} is not a public address, and is not allowed`;
  return null;
}

/**
 * Returns why mail must not be sent through this server, or null if it may be. It does not resolve the name. Without the operator's permission, only
 * the mail ports of a public address are allowed, and only with TLS.
 */
export function whyNoMail({ host, port, tls }: { readonly host: string; readonly port: number; readonly tls: string }): string | null {
  if (tls === "none") return "it would send mail without TLS, and its host is not allowed";
  if (!MAIL_PORTS.has(port)) return `its port ${port} is none of 25, 465 and 587, and its host is not allowed`;
  if (isIP(host) !== 0 && !isPublicAddress(host)) return `${host} is not a public address, and is not allowed`;
  return null;
}

const MAIL_PORTS: ReadonlySet<number> = new Set([25, 465, 587]);

/**
 * Returns a function that resolves a name for one connection. If one address is not public, it refuses the name. The socket uses exactly the checked
 * addresses, so an attacker cannot change the name's addresses after the check.
 */
export function guardedLookup(isAllowed: boolean, resolve: ResolveName = resolveName): LookupFunction {
  return (name, options, done) => {
    resolve(name, { all: true }, (error, addresses) => {
      const fault = error ?? (isAllowed ? null : refusal(name, addresses));
      const [first] = addresses ?? [];
      if (fault) done(fault, []);
      else if (!first) done(new NotPublic(`the name ${name} has no address`), []);
      else if (options.all) done(null, addresses);
      else done(null, first.address, first.family);
    });
  };
}

/** The error for a name with a forbidden address. */
export class NotPublic extends Error {
  override readonly name = "NotPublic";
}

function refusal(name: string, addresses: readonly LookupAddress[]): NotPublic | null {
  const inside = addresses.find(({ address }) => !isPublicAddress(address));
  return inside ? new NotPublic(`the name ${name} has the address ${inside.address}, which is not public, and is not allowed`) : null;
}
