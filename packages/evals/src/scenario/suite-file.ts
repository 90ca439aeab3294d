import { type Json, type JsonObject, parser, ProfileName, SEVERITIES, type Static, ToolResult, Type } from "@toolbus/contracts";
import { DECISIONS } from "./scenario.ts";

const closed = { additionalProperties: false } as const;
const Id = Type.String({ pattern: "^[a-z0-9][a-z0-9-]{0,99}$" });
const Tool = Type.String({ minLength: 1, maxLength: 128 });
const Words = Type.String({ minLength: 1, maxLength: 2000 });
const Texts = Type.Array(Words, { minItems: 1, maxItems: 50 });
const Ticket = Type.String({ minLength: 1, maxLength: 100 });
const Path = Type.String({ minLength: 1, maxLength: 500 });
const Anything = Type.Unsafe<Json>({});
const AnObject = Type.Unsafe<JsonObject>({ type: "object" });
const Count = Type.Integer({ minimum: 0, maximum: 1_000_000_000 });

const FixtureFile = Type.Object(
  {
    when: Type.Optional(Anything),
    times: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 })),
    result: Type.Optional(Anything),
    /** A JSON file with the result, beside the file that names it. */
    file: Type.Optional(Path),
    error: Type.Optional(Type.Object({ code: Type.String({ pattern: "^[a-z][a-z0-9_]{0,63}$" }), message: Words }, closed)),
  },
  closed,
);
export type FixtureFile = Static<typeof FixtureFile>;

const FixturesFile = Type.Record(Tool, Type.Array(FixtureFile, { minItems: 1, maxItems: 200 }));
export type FixturesFile = Readonly<Record<string, readonly FixtureFile[]>>;

const Expect = Type.Object(
  {
    end: Type.Optional(Type.Enum(["completed", "failed", "cancelled"])),
    tools: Type.Optional(
      Type.Object(
        {
          called: Type.Optional(
            Type.Array(
              Type.Object(
                {
                  tool: Tool,
                  arguments: Type.Optional(Anything),
                  withinRound: Type.Optional(Type.Integer({ minimum: 0, maximum: 100 })),
                  status: Type.Optional(ToolResult.properties.status),
                },
                closed,
              ),
              { minItems: 1, maxItems: 50 },
            ),
          ),
          order: Type.Optional(Type.Array(Tool, { minItems: 2, maxItems: 50 })),
          notCalled: Type.Optional(Type.Array(Tool, { minItems: 1, maxItems: 50 })),
        },
        { ...closed, minProperties: 1 },
      ),
    ),
    severity: Type.Optional(Type.Union([Type.Enum([...SEVERITIES]), Type.Array(Type.Enum([...SEVERITIES]), { minItems: 1, maxItems: 3 })])),
    findings: Type.Optional(
      Type.Object(
        { include: Type.Optional(Texts), exclude: Type.Optional(Texts), grounded: Type.Optional(Type.Boolean()) },
        { ...closed, minProperties: 1 },
      ),
    ),
    approvals: Type.Optional(
      Type.Array(Type.Object({ tool: Tool, decidedBy: Type.Enum(["people", "policy"]) }, closed), { minItems: 1, maxItems: 20 }),
    ),
    recovery: Type.Optional(Type.Object({ repeatedCalls: Count }, closed)),
    limits: Type.Optional(
      Type.Object(
        {
          rounds: Type.Optional(Count),
          toolCalls: Type.Optional(Count),
          tokens: Type.Optional(Count),
          usd: Type.Optional(Type.Number({ minimum: 0 })),
          seconds: Type.Optional(Type.Number({ minimum: 0 })),
        },
        { ...closed, minProperties: 1 },
      ),
    ),
    answer: Type.Optional(
      Type.Object(
        { includes: Type.Optional(Texts), excludes: Type.Optional(Texts), matches: Type.Optional(Words) },
        { ...closed, minProperties: 1 },
      ),
    ),
  },
  { ...closed, minProperties: 1 },
);

const Note = Type.Optional(Type.String({ minLength: 1, maxLength: 2000 }));
const Message = Type.String({ minLength: 1, maxLength: 32_768 });

/** One scenario as its file has it. */
export const ScenarioFile = Type.Object(
  {
    id: Id,
    description: Type.Optional(Type.String({ maxLength: 2000 })),
    tags: Type.Optional(Type.Array(Id, { maxItems: 20 })),
    profile: Type.Optional(ProfileName),
    input: Type.Object(
      {
        release: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
        /** The facts of the release's change, as `POST /v1/investigations` accepts them. The gateway checks them. */
        changes: Type.Optional(AnObject),
        /** The measurements of the release, as `POST /v1/investigations` accepts them together with `changes`. */
        measurements: Type.Optional(AnObject),
        alert: Type.Optional(AnObject),
        note: Note,
        message: Type.Optional(Message),
        messages: Type.Optional(Type.Array(Message, { minItems: 1, maxItems: 20 })),
      },
      closed,
    ),
    fixtures: Type.Optional(FixturesFile),
    approvals: Type.Optional(
      Type.Record(
        Tool,
        Type.Object({ decide: Type.Enum([...DECISIONS]), comment: Type.Optional(Words), ticket: Type.Optional(Ticket) }, closed),
      ),
    ),
    model: Type.Optional(
      Type.Array(
        Type.Object(
          {
            text: Type.Optional(Type.String({ maxLength: 32_768 })),
            calls: Type.Optional(Type.Array(Type.Object({ tool: Tool, arguments: Type.Optional(AnObject) }, closed), { maxItems: 32 })),
          },
          closed,
        ),
        { minItems: 1, maxItems: 100 },
      ),
    ),
    timeoutSeconds: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 3600 })),
    expect: Type.Optional(Expect),
    rubric: Type.Optional(Type.Array(Type.Object({ name: Id, question: Words }, closed), { minItems: 1, maxItems: 20 })),
  },
  closed,
);
export type ScenarioFile = Static<typeof ScenarioFile>;

/** The file `suite.yaml`. */
export const SuiteFile = Type.Object(
  {
    suite: Id,
    description: Type.Optional(Type.String({ maxLength: 2000 })),
    profile: Type.Optional(ProfileName),
    /** A folder with profiles, as in the setting `PROFILES_DIR`. */
    profiles: Type.Optional(Path),
    /** A file with the definitions of tools that only fixtures answer. */
    tools: Type.Optional(Path),
    /** A policy file of approvals. */
    policy: Type.Optional(Path),
    repeats: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
    timeoutSeconds: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 3600 })),
    judge: Type.Optional(
      Type.Object(
        {
          votes: Type.Optional(Type.Enum([1, 3, 5, 7, 9])),
          labels: Type.Optional(Path),
          provider: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
          model: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
        },
        closed,
      ),
    ),
    fixtures: Type.Optional(FixturesFile),
    /** The scenarios, if they are not in a folder. */
    scenarios: Type.Optional(Type.Array(ScenarioFile, { maxItems: 10_000 })),
  },
  closed,
);
export type SuiteFile = Static<typeof SuiteFile>;

export const parseSuiteFile = parser(SuiteFile);
export const parseScenarioFile = parser(ScenarioFile);
