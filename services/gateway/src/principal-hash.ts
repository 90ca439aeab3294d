import { hash } from "node:crypto";
import type { Principal } from "@toolbus/runtime";

/** Returns the name of a principal for use in the name of an index. It includes the tenant, because two tenants may use the same name. */
export function principalHash({ tenant, id }: Pick<Principal, "tenant" | "id">): string {
  return hash("sha256", JSON.stringify([tenant, id]), "base64url");
}
