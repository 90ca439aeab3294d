import { createHash } from "node:crypto";

/** Returns the name of a tenant for use in the name of an index. The tenant's own name may have any character. */
export function tenantHash(tenant: string): string {
  return createHash("sha256").update(tenant).digest("base64url");
}
