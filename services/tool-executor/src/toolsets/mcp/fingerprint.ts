import { createHash } from "node:crypto";
import type { Tool as McpTool } from "@modelcontextprotocol/client";
import type { Json } from "@toolbus/contracts";
import { canonicalJson } from "@toolbus/grants";
import type { ServerAddress } from "./mcp-config.ts";

/**
 * What an operator saw when they trusted a tool: 32 digits of SHA-256 over everything that its server says about it, and over the server's configuration.
 * It is part of the tool's definition, so it is part of the pin.
 */
export function fingerprintOf(
  address: ServerAddress,
  { name, title, description, inputSchema, outputSchema, annotations }: McpTool,
): string {
  const said: Json = JSON.parse(
    JSON.stringify({ name, title, description, inputSchema, outputSchema, annotations, server: identityOf(address) }),
  );
  return digits(canonicalJson(said));
}

/** The same of all tools of a server, in any order. */
export function serverFingerprint(fingerprints: readonly string[]): string {
  return digits(fingerprints.toSorted().join("\n"));
}

/** Without values of variables and headers: a changed password does not make another server. */
function identityOf(address: ServerAddress): object {
  if (address.kind !== "stdio") return { kind: address.kind, url: withoutSecrets(address.url) };
  const { kind, command, args, env } = address;
  return { kind, command, args, env: Object.keys(env).toSorted() };
}

function withoutSecrets(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

function digits(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}
