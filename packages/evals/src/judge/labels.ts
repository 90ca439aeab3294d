import { createHash } from "node:crypto";
import { describeProblems, parser, type Static, Type } from "@toolbus/contracts";
import { parse as parseYaml } from "yaml";
import type { ReadResult } from "../result/read-suite-result.ts";
import type { Criterion } from "./judge-prompt.ts";
import type { Judged } from "./judged-record.ts";

/** One answer of a person to one question about one run. */
export interface LabelledExample {
  readonly criterion: Criterion;
  readonly judged: Judged;
  readonly label: "yes" | "no";
}

/** The examples of a file. */
export interface Labels {
  readonly examples: readonly LabelledExample[];
  /** A hash of the text, so that a calibration says which labels it used. */
  readonly hash: string;
}

const closed = { additionalProperties: false } as const;
/** The parts of an observation that a judge reads. */
const ObservationForm = Type.Unsafe<Extract<Judged, { calls: unknown }>>({
  type: "object",
  required: ["end", "answer", "report", "calls"],
  properties: {
    end: { enum: ["completed", "failed", "cancelled"] },
    answer: { type: "string", maxLength: 100_000 },
    report: {
      type: ["object", "null"],
      required: ["severity", "cause", "findings", "filing"],
      properties: { findings: { type: "array", items: { type: "string" } }, filing: { type: "object", required: ["status"] } },
    },
    calls: { type: "array", maxItems: 1000, items: { type: "object", required: ["round", "tool", "kind", "arguments", "held"] } },
  },
});
const Example = Type.Object(
  {
    criterion: Type.String({ minLength: 1, maxLength: 100 }),
    /** The question, unless `questions` of the file has it. */
    question: Type.Optional(Type.String({ minLength: 1, maxLength: 2000 })),
    answer: Type.Optional(Type.String({ maxLength: 100_000 })),
    observation: Type.Optional(ObservationForm),
    label: Type.Union([Type.Enum(["yes", "no"]), Type.Boolean()]),
    /** Who labelled it and why, for people. */
    note: Type.Optional(Type.String({ maxLength: 2000 })),
  },
  closed,
);
const LabelsForm = Type.Object(
  {
    labels: Type.Literal(1),
    questions: Type.Optional(Type.Record(Type.String(), Type.String({ minLength: 1, maxLength: 2000 }))),
    examples: Type.Array(Example, { minItems: 1, maxItems: 10_000 }),
  },
  closed,
);
const parse = parser(LabelsForm);

/** Returns the examples in the text of a file of labels, or one sentence with its first fault. `name` is the name of the file in this sentence. */
export function readLabels(text: string, name: string): ReadResult<Labels> {
  let value: unknown;
  try {
    value = parseYaml(text, { maxAliasCount: 0 });
  } catch (error) {
    const [first] = String(error instanceof Error ? error.message : error).split("\n");
    return refused(name, `is not YAML (${first ?? "unknown"})`);
  }
  const parsed = parse(value);
  if (!parsed.ok) return refused(name, `cannot be used (${describeProblems(parsed.problems.slice(0, 1))})`);
  const { questions = {}, examples: written } = parsed.value;
  const examples: LabelledExample[] = [];
  for (const [n, example] of written.entries()) {
    const question = example.question ?? (Object.hasOwn(questions, example.criterion) ? questions[example.criterion] : undefined);
    if (question === undefined)
      return refused(name, `has no question for the criterion ${JSON.stringify(example.criterion)} of example ${n + 1}`);
    const judged = judgedOf(example);
    if (judged === null) return refused(name, `needs either an answer or an observation in example ${n + 1}`);
    examples.push({ criterion: { name: example.criterion, question }, judged, label: labelOf(example.label) });
  }
  const [first] = examples;
  if (first !== undefined && examples.every(({ label }) => label === first.label))
    return refused(
      name,
      `has only examples with the label ${first.label}, and agreement with them by chance cannot be told from agreement`,
    );
  return { ok: true, value: { examples, hash: createHash("sha256").update(text).digest("hex") } };
}

function judgedOf({ answer, observation }: Static<typeof Example>): Judged | null {
  if ((answer === undefined) === (observation === undefined)) return null;
  return answer === undefined ? (observation ?? null) : { answer };
}

// YAML 1.1 tools write `yes` as a boolean.
function labelOf(label: "yes" | "no" | boolean): "yes" | "no" {
  return label === true || label === "yes" ? "yes" : "no";
}

function refused(name: string, what: string): ReadResult<never> {
  return { ok: false, problem: `The file of labels ${name} ${what}: fix it as docs/evaluation-reports.md shows.` };
}
