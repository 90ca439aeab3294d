import { rename, writeFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { scratch, type Scratch } from "./testing/scratch.ts";
import { tracedSystem, type TracedSystem } from "./testing/traced-system.ts";

const PATIENCE = { timeout: 20_000, interval: 50 };
const GOOD = "version: 1\ntiers:\n  high: { approvers: 2 }\n";

describe("the gauge of a policy that cannot be used", () => {
  let files: Scratch;
  let traced: TracedSystem;
  beforeAll(async () => {
    files = scratch();
    await writeFile(files.at("policy.yaml"), GOOD);
    traced = await tracedSystem(files.data(), { APPROVAL_POLICY_FILE: files.at("policy.yaml"), OTEL_METRIC_EXPORT_INTERVAL: "200" });
  });
  afterAll(async () => {
    await traced?.stop();
    files.remove();
  });

  it("is 1 while the file is broken, and 0 before and after", async () => {
    const last = () => traced.receiver.metrics().findLast(({ name }) => name === "toolbus.approvals.policy.unusable")?.values;
    await expect.poll(last, PATIENCE).toEqual([0]);
    for (const [text, value] of [
      [`${GOOD}rules: nonsense\n`, 1],
      [GOOD, 0],
    ] as const) {
      await writeFile(files.at("draft.yaml"), text);
      await rename(files.at("draft.yaml"), files.at("policy.yaml"));
      await expect.poll(last, PATIENCE).toEqual([value]);
    }
  });
});
