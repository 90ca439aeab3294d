import { createHash } from "node:crypto";
import type { Tool as McpTool } from "@modelcontextprotocol/client";
import type { Json } from "@toolbus/contracts";
import { canonicalJson } from "@toolbus/grants";
import type { ServerAddress } from "./mcp-config.ts";

/**
 * Returns the fingerprint of a tool, which an operator checks before they trust the tool. It is 32 digits of SHA-256 over everything that the server
 * says about the tool, and over the server's configuration. It is part of the tool's definition, so it is also part of the pin.
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

/** Returns the fingerprint of all tools of a server. It does not depend on their order. */
export function serverFingerprint(fingerprints: readonly string[]): string {
  return digits(fingerprints.toSorted().join("\n"));
}

/**
 * Returns the identity of a server without the values of variables and headers, because a server with a changed password is still the same server.
 */
function identityOf(address: ServerAddress): object {
  if (address.kind !== "stdio") return { kind: address.kind, url: withoutSecrets(address.url) };
  const { kind, command, args, env, cwd, sandbox } = address;
  // What an entry does not set is left out, so the fingerprints of entries without these settings are the same as before there were these settings.
  return {
    kind,
    command,
    args,
    env: Object.keys(env).toSorted(),
    ...(cwd === undefined ? {} : { cwd }),
    ...(sandbox === undefined ? {} : { sandbox }),
  };
}

function withoutSecrets(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

function digits(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}
