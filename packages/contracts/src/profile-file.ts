import { type Static, Type } from "./schema.ts";
import { CONTEXT_STRATEGIES } from "./documents/context.ts";
import { ProfileName } from "./http.ts";
import { parser } from "./parse.ts";

const closed = { additionalProperties: false } as const;
const TOOL = "[a-z][a-z0-9_]{0,63}";

/**
 * What a model must do with its tools: call any it likes, none, at least one, or the named one. The last two hold for the first round of a run only; after
 * it the model is free, or no run would end.
 */
export type ToolChoice = "auto" | "none" | "required" | `tool:${string}`;

/** Tools by name (`lookup_order`), by one version (`lookup_order@v3`), or all of a kind, of a toolset or from a source. */
export const ToolRule = Type.String({
  pattern: `^(${TOOL}(@[A-Za-z0-9][A-Za-z0-9._-]{0,31})?|kind:(read|compute|write)|toolset:[a-z0-9][a-z0-9_-]{0,63}|source:\\S{1,120})$`,
});

/** The path to a value in a run's input: member names separated by dots. */
const InputPath = Type.String({ pattern: "^[^.\\s]{1,128}(\\.[^.\\s]{1,128}){0,7}$" });
const ToolName = Type.String({ pattern: `^${TOOL}$` });

/** A profile as its file states it. An omitted field has the default that is named here. */
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
        /** After this time without a living worker the model gets an error instead of a read's answer; by default the call waits. */
        noWorkerSeconds: Type.Optional(Type.Integer({ minimum: 1, maximum: 900 })),
        /** 12 by default: with more, models choose the wrong tool more often. */
        maxTools: Type.Optional(Type.Integer({ minimum: 0, maximum: 128 })),
        /** Of one reply; 4096 by default. */
        maxTokens: Type.Optional(Type.Integer({ minimum: 64, maximum: 65_536 })),
        /** A longer tool result goes into working memory, in characters. By default, what the model accepts. */
        resultChars: Type.Optional(Type.Integer({ minimum: 1000, maximum: 1_000_000 })),
        /** What one run and its sub-runs may use; it can only lower the limits of the operator's settings. */
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
    /** The model that the process is configured with, by default. */
    model: Type.Optional(
      Type.Object(
        {
          provider: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
          name: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
        },
        { ...closed, minProperties: 1 },
      ),
    ),
    /** How a conversation that is too long for the model is made to fit. */
    context: Type.Optional(
      Type.Object(
        {
          /** The process's setting by default. */
          strategy: Type.Optional(Type.Enum([...CONTEXT_STRATEGIES])),
          /** Tokens of the conversation, approximately; by default what the model's window has room for. */
          maxTokens: Type.Optional(Type.Integer({ minimum: 1000, maximum: 10_000_000 })),
          /** Entries of the conversation: a message of the person, a turn and a tool's result count as one each. No limit by default. */
          maxMessages: Type.Optional(Type.Integer({ minimum: 4, maximum: 10_000 })),
        },
        { ...closed, minProperties: 1 },
      ),
    ),
    /** True by default. False: a result that is too long for the model is truncated with a notice. */
    workingMemory: Type.Optional(Type.Boolean()),
    /** `auto` by default. */
    toolChoice: Type.Optional(Type.Unsafe<ToolChoice>({ type: "string", pattern: `^(auto|none|required|tool:${TOOL})$` })),
    /** False: the model is told to make one call per turn. The process's setting by default. */
    parallelCalls: Type.Optional(Type.Boolean()),
    /** Not sent to a provider that does not accept one. The process's setting by default. */
    temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 2 })),
    /** None by default. */
    seedCalls: Type.Optional(
      Type.Array(
        Type.Object(
          {
            tool: ToolName,
            /** Argument → path in the run's input. The call is skipped if one of the values is missing. */
            argumentsFromInput: Type.Optional(
              Type.Unsafe<Readonly<Record<string, string>>>({ type: "object", additionalProperties: InputPath }),
            ),
            /** Another path: the call is skipped if its value is missing. */
            when: Type.Optional(InputPath),
          },
          closed,
        ),
        { maxItems: 32 },
      ),
    ),
    /** None by default: a run produces only its text. */
    report: Type.Optional(
      Type.Object(
        {
          /** `filing`: the write `tool` files it. `conclusion`: the model records it with `conclude`, and nothing is filed. */
          kind: Type.Enum(["filing", "conclusion"]),
          /** Path in the run's input to the subject of the investigation. */
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
