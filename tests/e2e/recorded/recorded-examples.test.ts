import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type JsonObject, LIVE_EVENT_SCHEMAS, RUN_EVENT_SCHEMAS } from "@toolbus/contracts";
import { beforeAll, describe, expect, it } from "vitest";
import { plainExample, shapeOf } from "./plain-examples.ts";
import { recordExamples, type Recording } from "./record-examples.ts";

const root = path.resolve(import.meta.dirname, "../../..");
/** The files with the recorded examples. The API descriptions read them. */
const FILES = {
  events: "services/gateway/src/routes/recorded-events.json",
  gateway: "services/gateway/src/routes/recorded-answers.json",
  approvals: "services/approvals/src/routes/recorded-answers.json",
} as const satisfies Record<keyof Recording, string>;
const PARTS = Object.keys(FILES) as (keyof Recording)[];
type Examples = Readonly<Record<string, JsonObject>>;

let recorded: Recording;
beforeAll(async () => {
  recorded = await recordExamples();
  // RECORD=1 writes the files first. The tests below then compare the new files with themselves.
  if (process.env["RECORD"] !== undefined) for (const part of PARTS) write(FILES[part], recorded[part]);
});

describe("the examples of the API's descriptions", () => {
  it("have a recorded event of every type that a stream can carry", () => {
    const types = Object.keys({ ...RUN_EVENT_SCHEMAS, ...LIVE_EVENT_SCHEMAS });
    expect(Object.keys(recorded.events).toSorted()).toEqual(types.toSorted());
    expect(Object.keys(read(FILES.events)).toSorted()).toEqual(types.toSorted());
  });

  it.each(PARTS)("are what a whole system really sends, but for ids, times, hashes and measured numbers: %s", (part) => {
    const shapes = (examples: Examples) => Object.fromEntries(Object.entries(examples).map(([name, one]) => [name, shapeOf(one)]));
    expect(shapes(read(FILES[part]))).toEqual(shapes(recorded[part]));
  });
});

function read(file: string): Examples {
  return JSON.parse(readFileSync(path.join(root, file), "utf8")) as Examples;
}

/** Writes the examples in the order of their names, so that a new recording gives a small diff. */
function write(file: string, examples: Examples): void {
  const plain = Object.entries(examples).map(([name, one]) => [name, plainExample(one)] as const);
  const sorted = Object.fromEntries(plain.toSorted(([a], [b]) => (a < b ? -1 : 1)));
  writeFileSync(path.join(root, file), JSON.stringify(sorted, null, 2));
  execFileSync(process.execPath, ["node_modules/oxfmt/bin/oxfmt", file], { cwd: root });
}
