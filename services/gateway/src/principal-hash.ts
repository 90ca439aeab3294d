import { createHash } from "node:crypto";
import type { Principal } from "@toolbus/runtime";

/** What a principal is called in the name of an index: its tenant too, since two tenants may have the same name in them. */
export function principalHash({ tenant, id }: Pick<Principal, "tenant" | "id">): string {
  return createHash("sha256")
    .update(JSON.stringify([tenant, id]))
    .digest("base64url");
}
