import { HttpProblem } from "@toolbus/runtime";
import type { GatewayConfig } from "../settings.ts";

/** The headers that show whether a page of another site sent a request. */
export interface SiteHeaders {
  readonly host?: string | undefined;
  readonly origin?: string | undefined;
}

type SiteSettings = Pick<GatewayConfig, "GATEWAY_HOST" | "MCP_HOSTS" | "CORS_ORIGINS">;

const LOOPBACK: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];

/**
 * Refuses a request that a page of another site may have sent (DNS rebinding). A gateway on a loopback address accepts only hosts that mean this
 * machine, and those in `MCP_HOSTS`. A gateway on another address accepts all hosts, unless `MCP_HOSTS` names some. An `Origin` must be of an accepted
 * host or in `CORS_ORIGINS`. Throws the problem.
 */
export function onlyOwnSites({ host, origin }: SiteHeaders, { GATEWAY_HOST, MCP_HOSTS, CORS_ORIGINS }: SiteSettings): void {
  const local = LOOPBACK.includes(GATEWAY_HOST) || GATEWAY_HOST === "::1";
  // The parser of addresses writes names in small letters.
  const named = listed(MCP_HOSTS.toLowerCase());
  const hosts = [...named, ...(local ? LOOPBACK : [])];
  const asked = nameOf(`http://${host ?? ""}`);
  if (hosts.length > 0 && (asked === null || !hosts.includes(asked)))
    throw new HttpProblem("forbidden", `The host "${(host ?? "").slice(0, 100)}" is not one of this gateway.`, {
      remedy: "Use the address that the gateway printed at its start, or name the host in MCP_HOSTS.",
    });
  if (origin === undefined || listed(CORS_ORIGINS).includes(origin)) return;
  const from = nameOf(origin);
  if (from !== null && (hosts.length > 0 ? hosts.includes(from) : from === asked)) return;
  throw new HttpProblem("forbidden", `Pages of the origin "${origin.slice(0, 100)}" may not use this route.`, {
    remedy: "Name the origin in CORS_ORIGINS.",
  });
}

function nameOf(address: string): string | null {
  const name = URL.parse(address)?.hostname;
  return name === undefined || name === "" ? null : name;
}

function listed(names: string): readonly string[] {
  return names
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
}
