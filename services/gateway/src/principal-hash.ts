import { createHash } from "node:crypto";
import type { Principal } from "@toolbus/runtime";

/** Returns the name of a principal for use in the name of an index. It includes the tenant, because two tenants may use the same name. */
export function principalHash({ tenant, id }: Pick<Principal, "tenant" | "id">): string {
  return createHash("sha256")
    .update(JSON.stringify([tenant, id]))
    .digest("base64url");
}
