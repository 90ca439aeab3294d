import { readFileSync } from "node:fs";
import path from "node:path";
import { isLoopback } from "../http/unreachable.ts";

/** Where a Toolbus on this machine listens. A missing address is not known. */
export interface LocalAddresses {
  readonly gateway?: string;
  readonly approvals?: string;
}

/**
 * Returns the addresses that a running Toolbus wrote to its data directory. A file that cannot be read or used says nothing, so the default ports apply, and
 * a command that reaches nobody there says so. Only addresses of this machine count, because commands send the keys of the directory to them.
 */
export function localAddresses(dataDirectory: string): LocalAddresses {
  try {
    const { gateway, approvals } = JSON.parse(readFileSync(path.join(dataDirectory, "addresses.json"), "utf8")) as Record<string, unknown>;
    return { ...(isHere(gateway) ? { gateway } : {}), ...(isHere(approvals) ? { approvals } : {}) };
  } catch {
    return {};
  }
}

function isHere(address: unknown): address is string {
  return typeof address === "string" && /^https?:\/\//.test(address) && URL.canParse(address) && isLoopback(address);
}
