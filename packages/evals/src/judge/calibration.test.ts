import { describe, expect, it } from "vitest";
import { judgingServer, verdict } from "../testing/judging-server.ts";
import { type Calibration, calibrate, calibrationFile, gateOf, readCalibration } from "./calibration.ts";
import { judge } from "./judge.ts";
import { judgeScores } from "./judge-scores.ts";
import { type Labels, readLabels } from "./labels.ts";

const never = new AbortController().signal;
const at = "2026-11-29T06:00:00.000Z";

/** Makes examples whose text tells a test's judge what to say: `judge` is its verdict, and `label` is what people said. */
function labelsOf(cells: readonly (readonly [label: "yes" | "no", judge: "yes" | "no" | "nonsense", times: number])[]): Labels {
  const examples = cells.flatMap(([label, said, times]) =>
    Array.from({ length: times }, (_, n) => ({ criterion: "honest", answer: `say ${said} (${n})`, label })),
  );
  const read = readLabels(JSON.stringify({ labels: 1, questions: { honest: "Is it honest?" }, examples }), "labels.json");
  if (!read.ok) throw new Error(read.problem);
  return read.value;
}

const obedient = (prompt: string): string => {
  const said = /say (yes|nonsense|no)/.exec(prompt)?.[1];
  return said === "yes" || said === "no" ? verdict(said) : "Hm.";
};

async function measured(labels: Labels, votes = 1) {
  await using t = await judgingServer(obedient);
  const asked = judge({ provider: t.provider, votes });
  const read = await calibrate(asked, labels, { signal: never, at });
  return { asked, read, requests: t.server.requests.length };
}

async function calibrationOf(labels: Labels) {
  const { asked, read } = await measured(labels);
  if (!read.ok) throw new Error(read.problem);
  return { asked, calibration: read.value };
}

// The tables of cohens-kappa.test.ts, here with a judge behind HTTP. 20, 5, 10, 15: kappa 0.4 with the interval 0.151 to 0.649. For 45, 5, 5, 45:
// agreement 0.9, chance 0.5, kappa 0.8.
const WEAK = [
  ["yes", "yes", 20],
  ["yes", "no", 5],
  ["no", "yes", 10],
  ["no", "no", 15],
] as const;
const STRONG = [
  ["yes", "yes", 18],
  ["yes", "no", 2],
  ["no", "yes", 2],
  ["no", "no", 18],
] as const;

describe("the calibration of a judge", () => {
  it("equals the agreement, kappa and interval of a table that was worked out by hand", async () => {
    const { calibration } = await calibrationOf(labelsOf(WEAK));
    expect(calibration).toMatchObject({
      examples: 50,
      undecided: 0,
      agreement: expect.closeTo(0.7, 10),
      kappa: expect.closeTo(0.4, 10),
      standardError: expect.closeTo(0.126996, 6),
      interval: { low: expect.closeTo(0.151092, 5), high: expect.closeTo(0.648908, 5) },
      criteria: [{ criterion: "honest", examples: 50, agreed: 35 }],
    });
  });

  // 18 + 18 of 40 agree, and 4 have no verdict. Agreement 0.9, people say yes to 20 of 40, the judge to 18, no to 18. Chance 0.5 * 0.45 * 2 = 0.45.
  // Kappa (0.9 - 0.45) / 0.55 = 0.818.
  it("counts an example without a verdict as a disagreement", async () => {
    const labels = labelsOf([
      ["yes", "yes", 18],
      ["yes", "nonsense", 2],
      ["no", "nonsense", 2],
      ["no", "no", 18],
    ]);
    const { calibration } = await calibrationOf(labels);
    expect(calibration).toMatchObject({ undecided: 4, agreement: 0.9, kappa: expect.closeTo(0.45 / 0.55, 6) });
  });

  it("is one sentence, after a few examples, if the judge answers nothing but nonsense", async () => {
    const { read, requests } = await measured(
      labelsOf([
        ["yes", "nonsense", 20],
        ["no", "nonsense", 20],
      ]),
    );
    expect(read).toEqual({
      ok: false,
      problem: expect.stringMatching(/^The judge could not be measured, because it gave no verdict on 5 examples: /),
    });
    expect(requests).toBe(10);
  });

  it("measures how far the votes agree among themselves", async () => {
    const { read } = await measured(
      labelsOf([
        ["yes", "yes", 2],
        ["no", "no", 2],
      ]),
      3,
    );
    expect(read).toMatchObject({ ok: true, value: { votesKappa: 1, interval: null } });
  });
});

describe("a judge may gate", () => {
  const scored = async (asked: ReturnType<typeof judge>, calibration: Calibration | null) => {
    await using t = await judgingServer(() => verdict("no", "It hides it."));
    const other = judge({ provider: t.provider, votes: asked.identity.votes });
    return await judgeScores(other, calibration)([{ name: "honest", question: "Is it honest?" }], { answer: "x" }, never);
  };

  it("with a kappa from 0.6 on and a known interval, and then its failure is a failure", async () => {
    const { asked, calibration } = await calibrationOf(labelsOf(STRONG));
    expect(calibration.kappa).toBeCloseTo(0.8, 10);
    expect(gateOf(asked.identity, calibration)).toEqual({ gates: true });
    expect(await scored(asked, calibration)).toEqual([
      { name: "judge honest", dimension: "judge", value: 0, passed: false, reason: "1 of 1 voted no: It hides it." },
    ]);
  });

  it("not with a kappa below 0.6, and then its scores are advisory", async () => {
    const { asked, calibration } = await calibrationOf(labelsOf(WEAK));
    expect(await scored(asked, calibration)).toMatchObject([
      { passed: false, advisory: true, reason: expect.stringMatching(/kappa of 0.40 is below 0.6/) },
    ]);
  });

  it("not if the interval is unknown, because there are too few examples", async () => {
    const { asked, calibration } = await calibrationOf(
      labelsOf([
        ["yes", "yes", 9],
        ["no", "no", 10],
      ]),
    );
    expect(calibration).toMatchObject({ kappa: 1, interval: null });
    expect(await scored(asked, calibration)).toMatchObject([
      { advisory: true, reason: expect.stringMatching(/fewer than 20 labelled examples/) },
    ]);
  });

  it("not if it was never calibrated", async () => {
    const { asked } = await calibrationOf(labelsOf(STRONG));
    expect(await scored(asked, null)).toMatchObject([{ advisory: true, reason: expect.stringMatching(/never calibrated/) }]);
  });

  it.each(["provider", "model", "votes", "prompt"] as const)("not with the calibration of a judge with another %s", async (part) => {
    const { asked, calibration } = await calibrationOf(labelsOf(STRONG));
    const other = { ...calibration, judge: { ...calibration.judge, [part]: part === "votes" ? 5 : "other" } };
    expect(gateOf(asked.identity, other)).toEqual({ gates: false, why: expect.stringContaining(part) });
  });
});

describe("the scores of a judge", () => {
  it("are an error and never a pass if the judge answers nonsense, and the other criteria are still scored", async () => {
    await using t = await judgingServer((prompt) => (prompt.includes("odd") ? "?" : verdict("yes")));
    const { calibration } = await calibrationOf(labelsOf(STRONG));
    const scores = await judgeScores(judge({ provider: t.provider, votes: 1 }), calibration)(
      [
        { name: "odd", question: "odd?" },
        { name: "plain", question: "plain?" },
      ],
      { answer: "x" },
      never,
    );
    expect(scores).toMatchObject([
      { name: "judge odd", passed: false, value: 0, error: true },
      { name: "judge plain", passed: true, value: 1 },
    ]);
    expect(scores[1]).not.toHaveProperty("error");
  });
});

describe("a file of labels", () => {
  const one = { criterion: "honest", question: "q", answer: "a" };
  it.each([
    ["is empty", "", /cannot be used/],
    ["is not YAML", "labels: [", /is not YAML/],
    ["has another version", JSON.stringify({ labels: 2, examples: [{ ...one, label: "yes" }] }), /\/labels must be 1/],
    ["has no examples", JSON.stringify({ labels: 1, examples: [] }), /must NOT have fewer than 1 item/],
    [
      "has one class",
      JSON.stringify({
        labels: 1,
        examples: [
          { ...one, label: "yes" },
          { ...one, label: "yes" },
        ],
      }),
      /only examples with the label yes/,
    ],
    [
      "has no question",
      JSON.stringify({ labels: 1, examples: [{ criterion: "c", answer: "a", label: "yes" }] }),
      /no question for the criterion "c"/,
    ],
    [
      "has neither an answer nor an observation",
      JSON.stringify({ labels: 1, examples: [{ criterion: "c", question: "q", label: "yes" }] }),
      /either an answer or an observation/,
    ],
    [
      "has an observation without calls",
      JSON.stringify({
        labels: 1,
        examples: [{ criterion: "c", question: "q", label: "yes", observation: { end: "completed", answer: "", report: null } }],
      }),
      /calls is required/,
    ],
    ["has a label that is neither", JSON.stringify({ labels: 1, examples: [{ ...one, label: "maybe" }] }), /label/],
  ])("that %s is refused with one sentence", (_, text, problem) => {
    expect(readLabels(text, "labels.yaml")).toEqual({ ok: false, problem: expect.stringMatching(problem) });
  });

  it("may write yes and no as words or as booleans", () => {
    const text =
      "labels: 1\nquestions: { honest: Is it? }\nexamples:\n  - { criterion: honest, answer: a, label: yes }\n  - { criterion: honest, answer: b, label: false }\n";
    expect(readLabels(text, "labels.yaml")).toMatchObject({ ok: true, value: { examples: [{ label: "yes" }, { label: "no" }] } });
  });
});

describe("a file with a calibration", () => {
  it("is beside its labels and is read as it was written", async () => {
    const { calibration } = await calibrationOf(labelsOf(STRONG));
    expect(calibrationFile("suite/labels.yaml")).toBe("suite/labels.calibration.json");
    expect(readCalibration(JSON.stringify(calibration), "c.json")).toEqual({ ok: true, value: calibration });
  });

  it.each([
    ["torn", '{"format":'],
    ["of another version", '{"format":"toolbus-eval-calibration/2"}'],
    ["no object", "7"],
  ])("that is %s is refused with one sentence", (_, text) => {
    expect(readCalibration(text, "c.json")).toEqual({ ok: false, problem: expect.stringMatching(/c\.json .*measure the judge again/) });
  });
});
