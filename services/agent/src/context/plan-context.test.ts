import { type ModelCapabilities, type ModelProvider, tokenCalibration } from "@toolbus/models";
import { describe, expect, it } from "vitest";
import { bundle, profile } from "../testing/test-bundle.ts";
import type { Profile } from "../profile.ts";
import type { FittingContext } from "./context-plan.ts";
import { learnFrom, planAgain, planContext } from "./plan-context.ts";
import { counting, type DrawnRun, runIdOf, transcriptOf, windowOf } from "../testing/test-transcripts.ts";

const TALK: readonly DrawnRun[] = Array.from({ length: 40 }, () => ({ text: 400, seeded: false, turns: [], answer: 400 }));

function setup(
  part: Partial<Profile> = {},
  contextTokens = 10_000,
  capabilities: Partial<ModelCapabilities> = {},
  more: Partial<ModelProvider> = {},
) {
  const entries = transcriptOf(TALK);
  const calibration = tokenCalibration();
  const provider: ModelProvider = { ...counting, ...more, capabilities: { ...counting.capabilities, contextTokens, ...capabilities } };
  const plan = () =>
    planContext({
      window: windowOf(entries, null),
      run: { runId: runIdOf(39), conversationId: "cv_03_1", profile: "test", input: {} },
      provider,
      now: 1,
      profile: { ...profile, ...part },
      tools: bundle().tools,
      strategy: "truncation",
      calibration,
    });
  return { entries, calibration, plan, model: [provider.name, provider.model] as const };
}

function fitting({ plan }: ReturnType<typeof planContext>): FittingContext {
  if (plan.kind !== "fits") throw new Error(plan.kind);
  return plan;
}

describe("a model's window", () => {
  it("has room for the prompt, the tools, the longest reply, a free tenth, and then the conversation", () => {
    const { input } = setup().plan();
    const { window, fixed, response, margin, history, target } = input.budget;
    expect({ window, response, margin }).toEqual({ window: 10_000, response: 1000, margin: 1000 });
    expect(fixed).toBeGreaterThan(50);
    expect(history.tokens).toBe(8000 - fixed);
    expect(target.tokens).toBe(Math.floor(history.tokens * 0.6));
  });

  it("loses no room to tools that the model cannot be offered", () => {
    const { provider, budget } = setup({}, 10_000, { tools: false }).plan().input;
    expect(budget.fixed).toBe(provider.estimateTokens([], profile.systemPrompt));
  });

  it("is used as far as the profile allows, in tokens and in messages", () => {
    const all = fitting(setup().plan());
    expect(all.moved).toBe(false);
    expect(all.use().history).toBe(7900);
    const tokens = fitting(setup({ context: { maxTokens: 2000 } }).plan());
    expect(tokens.use().history).toBeLessThanOrEqual(1200);
    const messages = fitting(setup({ context: { maxMessages: 20 } }).plan());
    expect(messages.entries.length).toBeLessThanOrEqual(12);
    expect(messages.entries.length).toBeGreaterThan(10);
  });

  it("is pruned by the strategy of the profile, or else of the process", () => {
    expect(setup({ context: { maxTokens: 2000 } }).plan().plan).toMatchObject({ pruned: { strategy: "truncation" } });
    expect(setup({ context: { maxTokens: 2000, strategy: "importance" } }).plan().plan).toMatchObject({
      pruned: { strategy: "importance" },
    });
    expect(setup({ context: { maxTokens: 2000, strategy: "sliding" } }).plan().plan.kind).toBe("summarise");
  });
});

describe("a vendor's report about a prompt", () => {
  it("makes later prompts shorter when it counted more than we did, unless it only estimated", () => {
    const t = setup();
    const planned = t.plan();
    const shown = fitting(planned);
    const usage = { inputTokens: Math.round(shown.use().used * 1.5), outputTokens: 1 };
    learnFrom(planned, shown, { ...usage, estimated: true }, t.calibration);
    expect(fitting(t.plan()).moved).toBe(false);
    learnFrom(planned, shown, usage, t.calibration);
    const next = fitting(t.plan());
    expect(next.moved).toBe(true);
    expect(next.use().history).toBeLessThanOrEqual(8000 * 0.6);
  });

  it("about a prompt that was never counted teaches only a process that knows little, which counts it then", () => {
    const mostTokens = () => 1;
    const t = setup({}, 200_000, {}, { mostTokens });
    const planned = t.plan();
    const shown = fitting(planned);
    expect(shown.isCounted).toBe(false);
    const usage = { inputTokens: Math.round(shown.use().used * 1.5), outputTokens: 1 };
    for (let n = 0; n < 8; n++) learnFrom(planned, shown, usage, t.calibration);
    expect(t.calibration.ratio(...t.model)).toBeCloseTo(1.5, 2);
    const uncountable = {
      ...shown,
      use: () => {
        throw new Error("The prompt was counted.");
      },
    };
    learnFrom(planned, uncountable, usage, t.calibration);
    expect(() => learnFrom(planned, { ...uncountable, isCounted: true }, usage, t.calibration)).toThrow("The prompt was counted.");
  });

  it("that it is too long halves it for the second try, and shortens later ones", () => {
    const t = setup({}, 16_000);
    const planned = t.plan();
    const refused = fitting(planned);
    const again = planAgain(planned, refused, t.calibration);
    expect(again?.use().history).toBeLessThanOrEqual(refused.use().history / 2);
    expect(again?.entries.at(-1)).toBe(t.entries.at(-1));
    expect(again?.document).toMatchObject({ from: (again?.pruned?.entries ?? 0) + 1 });
    expect(t.calibration.ratio(...t.model)).toBeCloseTo(16_000 / refused.use().used);
  });

  it("that even the run's minimum is too long allows no second try", () => {
    const t = setup();
    const planned = t.plan();
    const least = { ...fitting(planned), use: () => ({ history: 100, used: 200, left: 0 }) };
    expect(planAgain(planned, least, t.calibration)).toBeNull();
  });
});
