import { readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, it } from "vitest";
import { openStage, type Stage } from "./stage.ts";
import { nameOf, type Step, stepsOf } from "./steps.ts";

const ROOT = path.resolve(import.meta.dirname, "../..");

/** Returns the steps of a page of the repository. */
export function stepsIn(page: string): readonly Step[] {
  return stepsOf(readFileSync(path.join(ROOT, page), "utf8"));
}

/** Declares one test for each step of a page. The steps run one after another on one stage. `leaveOut` selects the steps that another test runs. */
export function describePage(page: string, { leaveOut = () => false }: { readonly leaveOut?: (command: string) => boolean } = {}): void {
  describe(`${page}, as a reader types it`, () => {
    let stage: Stage | null = null;
    beforeAll(async () => {
      stage = await openStage(ROOT);
    });
    afterAll(() => stage?.[Symbol.asyncDispose]());

    const steps = stepsIn(page).filter((step) => step.kind !== "not-run" && !("command" in step && leaveOut(step.command)));
    it.each(steps.map((step) => [step.line, nameOf(step), step] as const))(
      "line %i: %s",
      async (_line, _name, step) => stage?.act(step),
      STEP_MS,
    );
  });
}

/** The time limit of a step. It is a little longer than any wait of a stage. */
const STEP_MS = 160_000;
