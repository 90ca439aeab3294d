import { type Static, Type } from "./schema.ts";

const closed = { additionalProperties: false } as const;

/** The largest number of names of tools that were left out, which `OfferedChoice` lists. */
export const MAX_LEFT_OUT = 20;

/** How the agent chose among the tools of a run, because it could not offer all of them. */
export const OfferedChoice = Type.Object(
  {
    matched: Type.Integer({ description: "How many tools the profile, the requester's rights and the model allow." }),
    leftOut: Type.Array(Type.String(), {
      maxItems: MAX_LEFT_OUT,
      description: `The names of tools that were left out, the best match first, at most ${MAX_LEFT_OUT}.`,
    }),
    services: Type.Optional(
      Type.Array(Type.Object({ id: Type.String(), tools: Type.Array(Type.String()) }, closed), {
        description: "The services that match the message best, with their best tools. The model reads them with the message.",
      }),
    ),
  },
  closed,
);
export type OfferedChoice = Static<typeof OfferedChoice>;
