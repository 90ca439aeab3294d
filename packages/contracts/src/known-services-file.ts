import { parser } from "./parse.ts";
import { type Static, Type } from "./schema.ts";

const closed = { additionalProperties: false } as const;
const Names = Type.Array(Type.String({ minLength: 1, maxLength: 128 }), { maxItems: 100 });

/** A service that an operator lists for the search. It need not be registered. */
export const ListedService = Type.Object(
  {
    id: Type.String({ minLength: 1, maxLength: 130 }),
    type: Type.Enum(["mcp", "toolset", "static"]),
    summary: Type.String({ minLength: 1, maxLength: 500 }),
    tools: Type.Optional(Names),
    /** The skills of a service that has skills instead of tools. */
    skills: Type.Optional(Names),
  },
  closed,
);
export type ListedService = Readonly<Static<typeof ListedService>>;

/** Checks the content of the file that `KNOWN_SERVICES_FILE` names. */
export const parseKnownServicesFile = parser(Type.Object({ services: Type.Array(ListedService, { maxItems: 500 }) }, closed));
