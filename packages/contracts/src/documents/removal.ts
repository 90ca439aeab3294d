import { type Static, Type } from "../schema.ts";
import { parser } from "../parse.ts";

/**
 * An operator's request to remove one registration. It does not affect a later registration of the same name. Approvals signs it and writes it to the
 * family `removal`. The worker of the toolset `operations` reads it. A member of `index.removals` has the same form as a member of the registry's
 * index.
 */
export const Removal = Type.Object(
  {
    toolset: Type.String({ minLength: 1, maxLength: 80 }),
    tool: Type.String({ minLength: 1, maxLength: 80 }),
    version: Type.String({ minLength: 1, maxLength: 40 }),
    hash: Type.String(),
    /** The time when the registration was made. */
    registeredAt: Type.Integer(),
    by: Type.String(),
    askedAt: Type.Integer(),
    revision: Type.Optional(Type.Integer({ minimum: 1 })),
    /** The signature by approvals' own key over all other fields. */
    signature: Type.Optional(Type.String({ maxLength: 8192 })),
  },
  { additionalProperties: false },
);
export type Removal = Static<typeof Removal>;
export const parseRemoval = parser(Removal);

/** Returns the member for a version of a tool in the registry's index and in `index.removals`. */
export function registryMember({ toolset, tool, version }: Pick<Removal, "toolset" | "tool" | "version">): string {
  return `${toolset}/${tool}@${version}`;
}
