import type { JsonObject } from "./json.ts";
import { Type } from "./schema.ts";

/** The parts of a decision that are about the arguments on the card. */
export const ON_CARD = {
  /** All arguments of the write, to approve these instead of those on the card. Only the decision `approve` may have them. */
  arguments: Type.Optional(
    Type.Unsafe<JsonObject>({
      type: "object",
      description: "All arguments of the write, to approve these instead of those on the card. Only the decision `approve` may have them.",
    }),
  ),
  /** The `argumentsHash` of the card that the approver saw. A decision on an older card is refused. */
  argumentsHash: Type.Optional(
    Type.String({
      maxLength: 64,
      description:
        "The `argumentsHash` of the card that the approver saw. A decision on an older card is refused. Approving arguments that an approver has changed needs it.",
    }),
  ),
  /** The `plan.hash` of the card that the approver saw. An approval of a write whose tool offers a plan needs this hash. */
  planHash: Type.Optional(
    Type.String({
      maxLength: 64,
      description: "The `plan.hash` of the card that the approver saw. Approving a write whose card has a plan needs it.",
    }),
  ),
} as const;
