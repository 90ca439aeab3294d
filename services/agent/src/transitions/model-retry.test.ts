import { readSettings } from "@toolbus/runtime";
import { describe, expect, it } from "vitest";
import { agentSettings } from "../settings.ts";
import { type ModelFailure, retryPlan } from "./model-retry.ts";

const { MODEL_ATTEMPTS, MODEL_RETRY_MS, MODEL_RETRY_MAX_MS, MODEL_RETRY_AFTER_MAX_MS } = readSettings(agentSettings, {});
const byDefault = {
  attempts: MODEL_ATTEMPTS,
  initialMs: MODEL_RETRY_MS,
  maxMs: MODEL_RETRY_MAX_MS,
  retryAfterMaxMs: MODEL_RETRY_AFTER_MAX_MS,
};
const failure: ModelFailure = { code: "provider_overloaded", message: "Come again.", retryable: true, retryAfterMs: null };
const longest = (): number => 1;

describe("the wait before a model call is retried", () => {
  it("is drawn from up to 1 s, twice as much after each failure, and never over 60 s", () => {
    const patient = { ...byDefault, attempts: 20 };
    const waits = Array.from({ length: 9 }, (_, before) => retryPlan(failure, before, patient, longest));
    expect(waits.map((plan) => (plan.kind === "again" ? plan.waitMs : null))).toEqual([
      1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000,
    ]);
    expect(retryPlan(failure, 3, patient, () => 0.25)).toMatchObject({ waitMs: 2000 });
    expect(retryPlan(failure, 3, patient, () => 0)).toMatchObject({ waitMs: 1 });
  });

  it("follows two failures, but not a third one, nor a permanent one", () => {
    expect([0, 1, 2].map((before) => retryPlan(failure, before, byDefault, longest).kind)).toEqual(["again", "again", "given-up"]);
    expect(retryPlan({ ...failure, retryable: false }, 0, byDefault, longest)).toEqual({ kind: "given-up", message: "Come again." });
  });
});
