import { type Static, Type } from "./schema.ts";
import { CONTEXT_STRATEGIES } from "./documents/context.ts";
import { ProfileName } from "./http.ts";
import { parser } from "./parse.ts";

const closed = { additionalProperties: false } as const;
const TOOL = "[a-z][a-z0-9_]{0,63}";

/**
 * What a model must do with its tools: call what it likes, none, at least one, or the one that is named. The last two hold for the first
 * round of a run; after it the model is free, or no run would end.
 */
export type ToolChoice = "auto" | "none" | "required" | `tool:${string}`;

/** Tools by name (`lookup_order`), by one version (`lookup_order@v3`), or all that are of a kind, of a toolset or from a source. */
export const ToolRule = Type.String({
  pattern: `^(${TOOL}(@[A-Za-z0-9][A-Za-z0-9._-]{0,31})?|kind:(read|compute|write)|toolset:[a-z0-9][a-z0-9_-]{0,63}|source:\\S{1,120})$`,
});

/** The way to a value in a run's input: names of members with dots between them. */
const InputPath = Type.String({ pattern: "^[^.\\s]{1,128}(\\.[^.\\s]{1,128}){0,7}$" });
const ToolName = Type.String({ pattern: `^${TOOL}$` });

/** A profile as its file says it. A field that is left out has the default that is named here. */
export const ProfileFile = Type.Object(
  {
    name: ProfileName,
    description: Type.String({ minLength: 1, maxLength: 300 }),
    systemPrompt: Type.String({ minLength: 1, maxLength: 16_384 }),
    /** Rules, or `all`. */
    tools: Type.Union([Type.Literal("all"), Type.Array(ToolRule, { maxItems: 64 })]),
    limits: Type.Object(
      {
        /** Model calls of one run. */
        rounds: Type.Integer({ minimum: 1, maximum: 100 }),
        /** Time in model and tools; the clock stops while people decide. */
        activeSeconds: Type.Integer({ minimum: 1, maximum: 3600 }),
        /** After so long without a living worker the model is told so in place of a read's answer; by default the call waits. */
        noWorkerSeconds: Type.Optional(Type.Integer({ minimum: 1, maximum: 900 })),
        /** 12 by default: with more, models choose the wrong one more often. */
        maxTools: Type.Optional(Type.Integer({ minimum: 0, maximum: 128 })),
        /** Of one reply; 4096 by default. */
        maxTokens: Type.Optional(Type.Integer({ minimum: 64, maximum: 65_536 })),
        /** A longer result of a tool goes into working memory, in characters. What the model takes, by default. */
        resultChars: Type.Optional(Type.Integer({ minimum: 1000, maximum: 1_000_000 })),
        /** What one run and its sub-runs may use; it lowers what the operator's settings allow. */
        budget: Type.Optional(
          Type.Object(
            {
              tokens: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000_000_000 })),
              usd: Type.Optional(Type.Number({ minimum: 0.000001, maximum: 999_999_999 })),
              toolCalls: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000_000_000 })),
            },
            { ...closed, minProperties: 1 },
          ),
        ),
      },
      closed,
    ),
    /** The model that the process is set to, by default. */
    model: Type.Optional(
      Type.Object(
        {
          provider: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
          name: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
        },
        { ...closed, minProperties: 1 },
      ),
    ),
    /** How a conversation that has become too long for the model is made to fit. */
    context: Type.Optional(
      Type.Object(
        {
          /** What the process is set to, by default. */
          strategy: Type.Optional(Type.Enum([...CONTEXT_STRATEGIES])),
          /** Of the conversation, about; by default what the model's window has room for. */
          maxTokens: Type.Optional(Type.Integer({ minimum: 1000, maximum: 10_000_000 })),
          /** Of the conversation: a message of the person, a turn and a tool's result are one each. No limit by default. */
          maxMessages: Type.Optional(Type.Integer({ minimum: 4, maximum: 10_000 })),
        },
        { ...closed, minProperties: 1 },
      ),
    ),
    /** True by default. False: a result that is too long for the model is cut with a notice. */
    workingMemory: Type.Optional(Type.Boolean()),
    /** `auto` by default. */
    toolChoice: Type.Optional(Type.Unsafe<ToolChoice>({ type: "string", pattern: `^(auto|none|required|tool:${TOOL})$` })),
    /** False: the model is told to make one call a turn. The process's setting by default. */
    parallelCalls: Type.Optional(Type.Boolean()),
    /** Not sent to a provider that takes none. The process's setting by default. */
    temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 2 })),
    /** None by default. */
    seedCalls: Type.Optional(
      Type.Array(
        Type.Object(
          {
            tool: ToolName,
            /** Argument → path in the run's input. The call is skipped when one of them is not there. */
            argumentsFromInput: Type.Optional(
              Type.Unsafe<Readonly<Record<string, string>>>({ type: "object", additionalProperties: InputPath }),
            ),
            /** Another path without which the call is skipped. */
            when: Type.Optional(InputPath),
          },
          closed,
        ),
        { maxItems: 32 },
      ),
    ),
    /** None by default: what is said is all that comes out of a run. */
    report: Type.Optional(
      Type.Object(
        {
          /** `filing`: the write `tool` files it. `conclusion`: the model records it with `conclude`, and nothing is filed. */
          kind: Type.Enum(["filing", "conclusion"]),
          /** Path in the run's input to what is investigated. */
          subjectFromInput: InputPath,
          tool: Type.Optional(ToolName),
          /** Argument of the write; `severity` by default. */
          severityArgument: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
          /** Argument of the write; `findings` by default. */
          findingsArgument: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
          /** Field of the write's result; `report_id` by default. */
          reportIdField: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
        },
        closed,
      ),
    ),
    /** The model may ask the person a question with `ask_user`; false by default. */
    askUser: Type.Optional(Type.Boolean()),
    /** False by default: a write that follows a denied or unknown one of its turn is skipped. */
    continueAfterFailedWrite: Type.Optional(Type.Boolean()),
  },
  closed,
);
export type ProfileFile = Static<typeof ProfileFile>;
export const parseProfileFile = parser(ProfileFile);
