import { createHash } from "node:crypto";
import type { Principal } from "@toolbus/runtime";

/** The name of a principal in the name of an index. It includes the tenant, because two tenants may use the same name. */
export function principalHash({ tenant, id }: Pick<Principal, "tenant" | "id">): string {
  return createHash("sha256")
    .update(JSON.stringify([tenant, id]))
    .digest("base64url");
}
