import { readFileSync } from "node:fs";
import path from "node:path";
import { investigationBrain } from "@toolbus/model-servers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TOOLBUS } from "./testing/cli-under-test.ts";
import { serverOf, vendorsPlayed } from "./testing/model-vendors.ts";
import { runProgram } from "./testing/program.ts";
import { scratch, type Scratch } from "./testing/scratch.ts";

const SUITE = path.resolve(import.meta.dirname, "../../evals/golden-traces");

interface Trial {
  readonly scenario: string;
  readonly status: string;
  readonly problem?: string;
  readonly scores: readonly { readonly name: string; readonly passed: boolean; readonly reason: string }[];
}

let files: Scratch;
beforeAll(() => {
  files = scratch();
});
afterAll(() => files.remove());

/** Returns the trials of a result, and for each trial that has not passed the reasons. */
function trialsIn(out: string): readonly unknown[] {
  const { trials } = JSON.parse(readFileSync(path.join(out, "result.json"), "utf8")) as { readonly trials: readonly Trial[] };
  return trials.map(({ scenario, status, problem, scores }) => ({
    scenario,
    status,
    failed: scores.filter(({ passed }) => !passed).map(({ name, reason }) => `${name}: ${reason}`),
    ...(problem === undefined ? {} : { problem }),
  }));
}

const PASSED = ["files-once-with-consent", "takes-no-for-an-answer", "files-nothing-without-a-summary"].map((scenario) => ({
  scenario,
  status: "passed",
  failed: [],
}));

describe("the golden traces", () => {
  it("hold for the offline rules", async () => {
    const out = files.at("offline");
    const ended = await runProgram(TOOLBUS, ["eval", "run", SUITE, "--out", out]);
    expect(trialsIn(out)).toEqual(PASSED);
    expect(ended).toMatchObject({ code: 0 });
  });

  it.each(vendorsPlayed())("hold over the wire protocol of $name", async (vendor) => {
    const server = await serverOf(vendor);
    try {
      server?.think(investigationBrain());
      const out = files.at(vendor.name.replaceAll(/\W+/g, "-"));
      const ended = await runProgram(TOOLBUS, ["eval", "run", SUITE, "--out", out], { env: vendor.env(server) });
      expect(trialsIn(out)).toEqual(PASSED);
      expect(ended).toMatchObject({ code: 0 });
      // Two of the runs ask the model twice or more, and the third once or more.
      expect(server?.requests.length ?? 5).toBeGreaterThanOrEqual(5);
    } finally {
      await server?.close();
    }
  });

  it("fail for a model that files without end, so that they can gate", async () => {
    const vendor = vendorsPlayed()[0];
    if (!vendor) throw new Error("no vendor is played");
    const server = await serverOf(vendor);
    try {
      const think = investigationBrain();
      // This model does not take note of an answer to its report, so it files again and again.
      server?.think((asked) => {
        const filed = asked.messages.findIndex(
          (message) => message.role === "assistant" && message.calls.some(({ name }) => name === "file_risk_report"),
        );
        return think(filed < 0 ? asked : { ...asked, messages: asked.messages.slice(0, filed) });
      });
      const out = files.at("endless");
      const ended = await runProgram(TOOLBUS, ["eval", "run", SUITE, "--out", out, "--only", "takes-no-for-an-answer"], {
        env: vendor.env(server),
      });
      expect(ended).toMatchObject({ code: 2 });
      expect(JSON.stringify(trialsIn(out))).toContain("recovery: After an error, the same call was repeated");
    } finally {
      await server?.close();
    }
  });
});
