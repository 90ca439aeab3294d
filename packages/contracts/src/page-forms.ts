import { type Static, Type } from "./schema.ts";
import { DECISIONS } from "./documents/approval.ts";
import { ID_PATTERNS } from "./ids.ts";
import type { JsonObject } from "./json.ts";
import { declared, declaredQuery, parser } from "./parse.ts";

// The forms of the approval page. A browser sends every field, so a field that the person left empty is an empty text.

const closed = { additionalProperties: false } as const;
/** Binds a form to the session and the approval that it was made for. */
const form = Type.String({ maxLength: 100 });

export const DecisionForm = Type.Object(
  {
    form,
    decision: Type.Enum([...DECISIONS]),
    /** The single-use token of this approver. */
    token: Type.String({ minLength: 16, maxLength: 200 }),
    /** The hash of the arguments on the card that the approver saw. */
    argumentsHash: Type.Optional(Type.String({ maxLength: 64 })),
    /** The hash of the plan on the card that the approver saw. */
    planHash: Type.Optional(Type.String({ maxLength: 64 })),
    /** A browser counts a line break as one character, and sends two. */
    comment: Type.Optional(Type.String({ maxLength: 4000 })),
    ticket: Type.Optional(Type.String({ maxLength: 100 })),
    /** The changed arguments to approve, as the JSON text of `EditChanges`. */
    changes: Type.Optional(Type.String({ maxLength: 65_536 })),
  },
  closed,
);
export type DecisionForm = Static<typeof DecisionForm>;
export const decisionForm = declared("DecisionForm", DecisionForm);

/** The arguments that an approver changed. All other arguments stay unchanged, so a form never contains a value that the page has masked. */
export const EditChanges = Type.Object({ set: Type.Unsafe<JsonObject>({ type: "object" }), unset: Type.Array(Type.String()) }, closed);
export type EditChanges = Static<typeof EditChanges>;
export const parseEditChanges = parser(EditChanges);

/** The largest number of arguments that a form can have, on the page and in Slack. */
export const MOST_EDIT_FIELDS = 32;

/** The form with the arguments of a write. `v0` is the argument that is first in the definition. */
export const EditForm = Type.Object(
  {
    form,
    /** The hash of the arguments on the card that the approver saw. */
    argumentsHash: Type.String({ maxLength: 64 }),
    /** The approver saw the preview, and wants to change the typed arguments once more. */
    again: Type.Optional(Type.Literal("yes")),
    ...editFieldTypes(),
  },
  closed,
);
export type EditForm = Static<typeof EditForm> & Readonly<Partial<Record<`v${number}`, string>>>;
export const editForm = declared("EditForm", EditForm);

function editFieldTypes(): Readonly<Record<`v${number}`, TextField>> {
  return Object.fromEntries(
    Array.from({ length: MOST_EDIT_FIELDS }, (_, n) => [`v${n}` as const, Type.Optional(Type.String({ maxLength: 65_536 }))]),
  );
}

type TextField = ReturnType<typeof Type.Optional<ReturnType<typeof Type.String>>>;

export const RevealForm = Type.Object(
  {
    form,
    /** The place of the masked field, as a JSON Pointer into the approval. */
    pointer: Type.String({ minLength: 1, maxLength: 2000 }),
  },
  closed,
);
export type RevealForm = Static<typeof RevealForm>;
export const revealForm = declared("RevealForm", RevealForm);

export const SignInForm = Type.Object(
  {
    key: Type.String({ maxLength: 512 }),
    /** The approval to show after signing in. */
    to: Type.Optional(Type.String({ maxLength: 200 })),
  },
  closed,
);
export type SignInForm = Static<typeof SignInForm>;
export const signInForm = declared("SignInForm", SignInForm);

export const SignOutForm = Type.Object({ form }, closed);
export type SignOutForm = Static<typeof SignOutForm>;
export const signOutForm = declared("SignOutForm", SignOutForm);

/** The query of the sign-in page. */
export const signInQuery = declaredQuery(
  "SignInQuery",
  Type.Object(
    { to: Type.Optional(Type.String({ pattern: ID_PATTERNS.approval, description: "The approval to show after signing in." })) },
    closed,
  ),
);

const returned = Type.Optional(Type.String());

/** The query of the address to which a provider sends a person back. Providers add parameters of their own, which the page does not read. */
export const oidcReturnQuery = declaredQuery(
  "OidcReturnQuery",
  Type.Object({ code: returned, state: returned, iss: returned, error: returned }),
);

/** Text of a filter. A browser sends an empty text for a filter that the person left empty. The page itself explains an invalid text. */
const filter = (description: string) => Type.Optional(Type.String({ maxLength: 2000, description }));

/** The query of the history on the approval page, which its form of filters sends. */
export const pageHistoryQuery = declaredQuery(
  "PageHistoryQuery",
  Type.Object(
    {
      status: filter("Only approvals that ended like this."),
      since: filter("Only approvals that ended on this day (UTC) or later."),
      tool: filter("Only writes of this tool."),
      requester: filter("Only writes that this principal asked for."),
      cursor: filter("The place where the page begins."),
    },
    closed,
  ),
);

/** The query of the list on the approval page. */
export const pageListQuery = declaredQuery(
  "PageListQuery",
  Type.Object({ cursor: Type.Optional(Type.String({ maxLength: 2000, description: "The place where the page begins." })) }, closed),
);
