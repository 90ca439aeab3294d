import { createHash } from "node:crypto";

/** Returns the name of these bytes: `sha256-<hex>`. */
export function blobHash(bytes: Uint8Array): string {
  return `sha256-${createHash("sha256").update(bytes).digest("hex")}`;
}
