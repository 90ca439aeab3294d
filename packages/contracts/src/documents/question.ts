import { type Static, Type } from "../schema.ts";
import { ID_PATTERNS } from "../ids.ts";
import type { JsonObject } from "../json.ts";
import { parser } from "../parse.ts";

const closed = { additionalProperties: false } as const;

/** The most questions of one call that people are asked or that are refused. */
export const MAX_QUESTIONS = 5;
/** The longest question, in characters. */
export const QUESTION_CHARS = 1000;
/** The largest form as JSON, in bytes of UTF-8. */
export const FORM_BYTES = 8192;
/** The largest content of an answer as JSON, in bytes of UTF-8. */
export const CONTENT_BYTES = 16_384;

/**
 * How a question ended. The person accepted or declined it, nobody answered in time, the call ended before the answer, the attempt that asked has
 * ended, or Toolbus refused to ask.
 */
export const QUESTION_OUTCOMES = ["accepted", "declined", "expired", "cancelled", "interrupted", "refused"] as const;
export type QuestionOutcome = (typeof QUESTION_OUTCOMES)[number];

export const QuestionId = Type.String({ pattern: "^q_[0-9a-f]{32}$" });
/** The schema of the answer: an object whose fields are texts, numbers, booleans or choices. */
export const QuestionForm = Type.Unsafe<JsonObject>({ type: "object" });

/** One question of a tool to the requester of its run. Each attempt of a call asks under ids of its own, so an answer names the attempt. */
export const ToolQuestion = Type.Object(
  {
    id: QuestionId,
    message: Type.String({ maxLength: QUESTION_CHARS }),
    /** Absent once the question has ended. */
    form: Type.Optional(QuestionForm),
    askedAt: Type.Integer(),
    /** The time until which the worker waits for an answer. */
    expiresAt: Type.Integer(),
    ended: Type.Optional(
      Type.Object(
        { outcome: Type.Enum([...QUESTION_OUTCOMES]), at: Type.Integer(), reason: Type.Optional(Type.String({ maxLength: 300 })) },
        closed,
      ),
    ),
  },
  closed,
);
export type ToolQuestion = Static<typeof ToolQuestion>;

/** The questions of one call. A worker writes them to the family `question.<toolset>`. */
export const CallQuestions = Type.Object(
  {
    callId: Type.String({ pattern: ID_PATTERNS.call }),
    /** The source of the tool, such as `mcp:<server>`. */
    from: Type.String({ maxLength: 200 }),
    /** True if strangers may have written the questions. */
    untrusted: Type.Boolean(),
    questions: Type.Array(ToolQuestion, { maxItems: MAX_QUESTIONS }),
  },
  closed,
);
export type CallQuestions = Static<typeof CallQuestions>;

export const QUESTION_ACTIONS = ["accept", "decline"] as const;

/** The requester's answer to a question of a tool. The gateway writes it to the family `answer.<toolset>`, once. */
export const QuestionAnswer = Type.Object(
  {
    callId: Type.String({ pattern: ID_PATTERNS.call }),
    questionId: QuestionId,
    action: Type.Enum([...QUESTION_ACTIONS]),
    /** The fields of the form. Present only if the person accepted. */
    content: Type.Optional(Type.Unsafe<JsonObject>({ type: "object" })),
    by: Type.String({ maxLength: 200 }),
    keyHash: Type.Optional(Type.String({ maxLength: 64 })),
    at: Type.Integer(),
  },
  closed,
);
export type QuestionAnswer = Static<typeof QuestionAnswer>;

export const parseCallQuestions = parser(CallQuestions);
export const parseQuestionAnswer = parser(QuestionAnswer);

/** Returns the question that people can still answer at this time, or null. A call asks one question after another. */
export function openQuestion({ questions }: CallQuestions, now: number): ToolQuestion | null {
  return questions.find(({ ended, expiresAt }) => ended === undefined && now < expiresAt) ?? null;
}
