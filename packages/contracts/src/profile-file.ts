import { type Static, Type } from "./schema.ts";
import { CONTEXT_STRATEGIES } from "./documents/context.ts";
import { ProfileName } from "./http.ts";
import { parser } from "./parse.ts";

const closed = { additionalProperties: false } as const;
const TOOL = "[a-z][a-z0-9_]{0,63}";

/**
 * The rule for the model's use of its tools. `auto` allows any call, and `none` allows no call. `required` demands at least one call, and
 * `tool:<name>` demands a call of that tool. The last two apply only to the first round of a run, because otherwise no run would end.
 */
export type ToolChoice = "auto" | "none" | "required" | `tool:${string}`;

/**
 * A rule that selects tools by name (`lookup_order`), by one version (`lookup_order@v3`), by kind, by toolset or by source. A name that ends in `?` is
 * optional, so nobody is warned if no worker has registered the tool.
 */
export const ToolRule = Type.String({
  pattern: `^(${TOOL}(@[A-Za-z0-9][A-Za-z0-9._-]{0,31})?\\??|kind:(read|compute|write)|toolset:[a-z0-9][a-z0-9_-]{0,63}|source:\\S{1,120})$`,
});

/** The path to a value in a run's input. It consists of member names separated by dots. */
const InputPath = Type.String({ pattern: "^[^.\\s]{1,128}(\\.[^.\\s]{1,128}){0,7}$" });
const ToolName = Type.String({ pattern: `^${TOOL}$` });

/** The content of a profile's file. The comments name the default of each optional field. */
export const ProfileFile = Type.Object(
  {
    name: ProfileName,
    description: Type.String({ minLength: 1, maxLength: 300 }),
    systemPrompt: Type.String({ minLength: 1, maxLength: 16_384 }),
    /** The tools of the profile, as rules or as `all`. */
    tools: Type.Union([Type.Literal("all"), Type.Array(ToolRule, { maxItems: 64 })]),
    limits: Type.Object(
      {
        /** The largest number of model calls of one run. */
        rounds: Type.Integer({ minimum: 1, maximum: 100 }),
        /** The time limit for model and tools. The clock stops while people decide and while no worker is alive. */
        activeSeconds: Type.Integer({ minimum: 1, maximum: 3600 }),
        /**
         * The time for which a read waits for a living worker. After this time the model gets an error instead of the answer. By default the read
         * waits until the call's not-after.
         */
        noWorkerSeconds: Type.Optional(Type.Integer({ minimum: 1, maximum: 900 })),
        /** The largest number of tools. The default is 12, because models choose the wrong tool more often if they have more. */
        maxTools: Type.Optional(Type.Integer({ minimum: 0, maximum: 128 })),
        /** The largest number of tokens in one reply. The default is 4096. */
        maxTokens: Type.Optional(Type.Integer({ minimum: 64, maximum: 65_536 })),
        /**
         * The longest tool result that the model reads whole, in characters. A longer result goes into working memory. The default is the model's own
         * limit.
         */
        resultChars: Type.Optional(Type.Integer({ minimum: 1000, maximum: 1_000_000 })),
        /** The budget of one run and its sub-runs. It can only lower the limits of the operator's settings. */
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
    /** The model of the profile's runs. The default is the model of the process. */
    model: Type.Optional(
      Type.Object(
        {
          provider: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
          name: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
        },
        { ...closed, minProperties: 1 },
      ),
    ),
    /** The rules for a conversation that is too long for the model. */
    context: Type.Optional(
      Type.Object(
        {
          /** The default is the setting of the process. */
          strategy: Type.Optional(Type.Enum([...CONTEXT_STRATEGIES])),
          /** The largest number of tokens in the conversation, approximately. By default the conversation may fill the model's window. */
          maxTokens: Type.Optional(Type.Integer({ minimum: 1000, maximum: 10_000_000 })),
          /**
           * The largest number of entries in the conversation. A message of the person, a turn and a tool's result are one entry each. By default
           * there is no limit.
           */
          maxMessages: Type.Optional(Type.Integer({ minimum: 4, maximum: 10_000 })),
        },
        { ...closed, minProperties: 1 },
      ),
    ),
    /** The default is true. If it is false, a result that is too long for the model is truncated with a notice. */
    workingMemory: Type.Optional(Type.Boolean()),
    /** The default is `auto`. */
    toolChoice: Type.Optional(Type.Unsafe<ToolChoice>({ type: "string", pattern: `^(auto|none|required|tool:${TOOL})$` })),
    /** If it is false, the request asks the model for at most one call per turn. The default is the setting of the process. */
    parallelCalls: Type.Optional(Type.Boolean()),
    /** The temperature of the model. The adapter omits it for a provider that does not accept one. The default is the setting of the process. */
    temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 2 })),
    /** The calls that the agent makes before the first model call. By default there are none. */
    seedCalls: Type.Optional(
      Type.Array(
        Type.Object(
          {
            tool: ToolName,
            /** Maps each argument to a path in the run's input. The call is skipped if one of the values is missing. */
            argumentsFromInput: Type.Optional(
              Type.Unsafe<Readonly<Record<string, string>>>({ type: "object", additionalProperties: InputPath }),
            ),
            /** Another path in the run's input. The agent skips the call if there is no value at this path. */
            when: Type.Optional(InputPath),
          },
          closed,
        ),
        { maxItems: 32 },
      ),
    ),
    /** The rules for the report. By default a run produces only its text. */
    report: Type.Optional(
      Type.Object(
        {
          /**
           * `filing` means that the write `tool` files the report. `conclusion` means that the model records the report with `conclude`, and nothing
           * is filed.
           */
          kind: Type.Enum(["filing", "conclusion"]),
          /** The path in the run's input to the subject of the investigation. */
          subjectFromInput: InputPath,
          /** The path to the subject if the input has no value at the first path. */
          orSubjectFromInput: Type.Optional(InputPath),
          tool: Type.Optional(ToolName),
          /** The argument of the write for the severity. The default is `severity`. */
          severityArgument: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
          /** The argument of the write for the findings. The default is `findings`. */
          findingsArgument: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
          /** The field of the write's result with the report's id. The default is `report_id`. */
          reportIdField: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
        },
        closed,
      ),
    ),
    /** True if the model may ask the person a question with `ask_user`. The default is false. */
    askUser: Type.Optional(Type.Boolean()),
    /** If it is false, a write is skipped after an earlier write of its turn was denied or has an unknown outcome. The default is false. */
    continueAfterFailedWrite: Type.Optional(Type.Boolean()),
  },
  closed,
);
export type ProfileFile = Static<typeof ProfileFile>;
export const parseProfileFile = parser(ProfileFile);
