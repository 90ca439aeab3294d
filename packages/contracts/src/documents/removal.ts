import { type Static, Type } from "../schema.ts";
import { parser } from "../parse.ts";

/**
 * An operator's request to remove a registration: this one, not a later one of the same name. Family `removal`, written and signed by approvals, read by
 * the worker of the toolset `operations`. Its members in `index.removals` have the form of the registry's.
 */
export const Removal = Type.Object(
  {
    toolset: Type.String({ minLength: 1, maxLength: 80 }),
    tool: Type.String({ minLength: 1, maxLength: 80 }),
    version: Type.String({ minLength: 1, maxLength: 40 }),
    hash: Type.String(),
    /** When the registration to remove was made. */
    registeredAt: Type.Integer(),
    by: Type.String(),
    askedAt: Type.Integer(),
    revision: Type.Optional(Type.Integer({ minimum: 1 })),
    /** By approvals' own key, over all other fields. */
    signature: Type.Optional(Type.String({ maxLength: 8192 })),
  },
  { additionalProperties: false },
);
export type Removal = Static<typeof Removal>;
export const parseRemoval = parser(Removal);

/** The member of the registry's index, and of `index.removals`, for a version of a tool. */
export function registryMember({ toolset, tool, version }: Pick<Removal, "toolset" | "tool" | "version">): string {
  return `${toolset}/${tool}@${version}`;
}
