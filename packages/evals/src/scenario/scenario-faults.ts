import type { Json, Problem } from "@toolbus/contracts";
import { matcherFault } from "../matcher/matches.ts";
import type { FixturesFile, ScenarioFile } from "./suite-file.ts";

/** Returns the faults of a scenario that its schema cannot express, such as two inputs at once. */
export function scenarioFaults(scenario: ScenarioFile): readonly Problem[] {
  return [
    ...inputFaults(scenario.input),
    ...fixtureFaults(scenario.fixtures ?? {}, "/fixtures"),
    ...matcherFaults(scenario),
    ...patternFaults(scenario),
    ...emptyFaults(scenario),
    ...turnFaults(scenario),
  ];
}

/** Returns the faults of fixtures at a place in their file. */
export function fixtureFaults(fixtures: FixturesFile, at: string): readonly Problem[] {
  return Object.entries(fixtures).flatMap(([tool, list]) =>
    list.flatMap(({ when, result, file, error }, n) => {
      const path = `${at}/${tool}/${n}`;
      const answers = [result, file, error].filter((answer) => answer !== undefined).length;
      const fault = when === undefined ? null : matcherFault(when);
      return [
        ...(answers === 1 ? [] : [{ path, message: "needs one answer: result, file or error" }]),
        ...(fault === null ? [] : [{ path: `${path}/when`, message: fault }]),
      ];
    }),
  );
}

function inputFaults({ release, changes, measurements, alert, message, messages, note }: ScenarioFile["input"]): readonly Problem[] {
  const ofRelease = release ?? changes;
  const given = [ofRelease, alert, message, messages].filter((input) => input !== undefined).length;
  if (given !== 1) return [{ path: "/input", message: "needs one of release with changes or without, alert, message and messages" }];
  if (note !== undefined && ofRelease === undefined && alert === undefined)
    return [{ path: "/input/note", message: "belongs to a release or an alert" }];
  if (measurements !== undefined && changes === undefined) return [{ path: "/input/measurements", message: "belongs to changes" }];
  return [];
}

function matcherFaults({ expect }: ScenarioFile): readonly Problem[] {
  return (expect?.tools?.called ?? []).flatMap(({ arguments: wanted }, n) => fault(wanted, `/expect/tools/called/${n}/arguments`));
}

function fault(matcher: Json | undefined, path: string): readonly Problem[] {
  const message = matcher === undefined ? null : matcherFault(matcher);
  return message === null ? [] : [{ path, message }];
}

function patternFaults({ expect }: ScenarioFile): readonly Problem[] {
  const pattern = expect?.answer?.matches;
  if (pattern === undefined || matcherFault({ $matches: pattern }) === null) return [];
  return [{ path: "/expect/answer/matches", message: "must be a regular expression without backreferences and lookbehind" }];
}

/** A scenario that expects nothing would always pass. */
function emptyFaults({ expect, rubric }: ScenarioFile): readonly Problem[] {
  return expect || rubric ? [] : [{ path: "", message: "scenario expects nothing: give it expect, or a rubric" }];
}

function turnFaults({ model = [] }: ScenarioFile): readonly Problem[] {
  return model.flatMap(({ text = "", calls = [] }, n) =>
    text === "" && calls.length === 0 ? [{ path: `/model/${n}`, message: "needs a text or calls" }] : [],
  );
}
