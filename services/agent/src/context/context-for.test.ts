import { CONTEXT_STRATEGIES, type ContextDocument, type TranscriptEntry } from "@toolbus/contracts";
import { assertPaired } from "@toolbus/models";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { tighter } from "./budget.ts";
import { contextFor } from "./context-for.ts";
import type { FittingContext } from "./context-plan.ts";
import {
  budgetOf,
  counting,
  type DrawnRun,
  drawnRun,
  drawnRuns,
  inputOf,
  numbered,
  reply,
  runIdOf,
  settled,
  transcriptOf,
  windowOf,
} from "../testing/test-transcripts.ts";

const strategies = fc.constantFrom(...CONTEXT_STRATEGIES);
const budgets = fc.record({
  tokens: fc.integer({ min: 20, max: 6000 }),
  messages: fc.oneof(fc.constant(Number.POSITIVE_INFINITY), fc.integer({ min: 4, max: 60 })),
});

const tokensOf = (entries: readonly TranscriptEntry[]): number =>
  entries.reduce((sum, entry) => sum + counting.estimateTokens([entry], ""), 0);

/** Returns the entries that the current run requires, and their tokens at the smallest size to which they can be truncated. */
function leastOf(entries: readonly TranscriptEntry[]): { readonly required: readonly TranscriptEntry[]; readonly tokens: number } {
  const runId = entries.at(-1)?.runId;
  const start = entries.findLastIndex(({ type }) => type !== "result");
  const required = entries.filter((entry, n) => n >= start || (entry.runId === runId && (entry.type === "user" || entry.round === 0)));
  const cut = required.map((entry) => (entry.type === "result" ? { ...entry, content: entry.content.slice(0, 700) } : entry));
  return { required, tokens: tokensOf(cut) };
}

/** Names an entry by fields that stay the same when its result is truncated. */
const nameOf = (entry: TranscriptEntry): string => {
  if (entry.type === "user") return `user ${entry.runId}`;
  return entry.type === "assistant" ? `turn ${entry.runId} ${entry.round}` : `result ${entry.callId}`;
};

describe("the context of any conversation, under any strategy and budget", () => {
  it("separates no call from its result, keeps the order, and fits, or says that it cannot", () => {
    fc.assert(
      fc.property(drawnRuns, strategies, budgets, (runs, strategy, { tokens, messages }) => {
        const entries = transcriptOf(runs);
        const plan = settled(entries, inputOf(entries, { strategy, budget: budgetOf(tokens, messages) }));
        const { required, tokens: least } = leastOf(entries);
        if (plan.kind === "too_long") {
          expect(least).toBeGreaterThan(tokens);
          return;
        }
        assertPaired(plan.entries);
        expect(plan.entries[0]?.type).toBe("user");
        const order = entries.map(nameOf);
        const places = plan.entries.filter(({ runId }) => runId !== "context").map((entry) => order.indexOf(nameOf(entry)));
        expect(places).toEqual(places.toSorted((a, b) => a - b));
        expect(places).not.toContain(-1);
        expect(tokensOf(plan.entries)).toBeLessThanOrEqual(tokens);
        expect(plan.use().history).toBe(tokensOf(plan.entries));
        expect(plan.entries.length).toBeLessThanOrEqual(Math.max(messages, required.length + 1));
        expect(plan.entries.map(nameOf)).toEqual(expect.arrayContaining(required.map(nameOf)));
      }),
      { numRuns: 400 },
    );
  });

  it("shows everything, and stores nothing, when everything fits", () => {
    fc.assert(
      fc.property(drawnRuns, strategies, (runs, strategy) => {
        const entries = transcriptOf(runs);
        const plan = contextFor(inputOf(entries, { strategy, budget: budgetOf(1_000_000) }));
        expect(plan).toMatchObject({ kind: "fits", entries, moved: false });
        expect(plan).not.toHaveProperty("document");
        expect(plan).not.toHaveProperty("pruned");
      }),
    );
  });

  it("is not counted while even the most tokens that it may have would fit, and is the same as if it were", () => {
    fc.assert(
      fc.property(drawnRuns, strategies, budgets, (runs, strategy, { tokens, messages }) => {
        const entries = transcriptOf(runs);
        let counts = 0;
        const estimateTokens: typeof counting.estimateTokens = (...prompt) => {
          counts++;
          return counting.estimateTokens(...prompt);
        };
        const mostTokens = (entry: TranscriptEntry) => 2 * counting.estimateTokens([entry], "");
        const part = { strategy, budget: budgetOf(tokens, messages) };
        const counted = contextFor(inputOf(entries, part));
        const limited = contextFor(inputOf(entries, { ...part, provider: { ...counting, estimateTokens, mostTokens } }));
        expect(limited.kind).toBe(counted.kind);
        const most = entries.reduce((sum, entry) => sum + mostTokens(entry), 0);
        expect(counts === 0).toBe(most <= tokens && entries.length <= messages);
        if (limited.kind !== "fits" || counted.kind !== "fits") return;
        expect([limited.isCounted, counted.isCounted]).toEqual([counts > 0, true]);
        expect(limited.entries).toEqual(counted.entries);
        expect(limited.use()).toEqual(counted.use());
      }),
    );
  });

  it("is the same when a process makes it again that has read only what the document names", () => {
    fc.assert(
      fc.property(drawnRuns, strategies, budgets, (runs, strategy, { tokens, messages }) => {
        const entries = transcriptOf(runs);
        const input = inputOf(entries, { strategy, budget: budgetOf(tokens, messages) });
        const first = settled(entries, input);
        if (first.kind !== "fits" || !first.document) return;
        const again = settled(entries, { ...input, window: windowOf(entries, first.document) });
        expect(again).toMatchObject({ kind: "fits", entries: first.entries, pruned: first.pruned });
        expect(again).not.toHaveProperty("document");
      }),
      { numRuns: 300 },
    );
  });

  it("never begins earlier than before as the conversation continues, and counts what it leaves out", () => {
    fc.assert(
      fc.property(fc.array(drawnRun, { minLength: 2, maxLength: 12 }), strategies, budgets, (runs, strategy, { tokens, messages }) => {
        let document: ContextDocument | null = null;
        for (let n = 1; n <= runs.length; n++) {
          const entries = transcriptOf(runs.slice(0, n));
          const input = inputOf(entries, { strategy, budget: budgetOf(tokens, messages), window: windowOf(entries, document) });
          let plan = contextFor(input);
          for (let step = 0; plan.kind === "summarise" && step < 50; step++) {
            const next: ContextDocument = plan.apply(reply("So far."));
            expect(next.from).toBeGreaterThanOrEqual(document?.from ?? 1);
            document = next;
            plan = contextFor({ ...input, window: windowOf(entries, document) });
          }
          if (plan.kind !== "fits") return;
          const next: ContextDocument | null = plan.document ?? document;
          expect(next?.from ?? 1).toBeGreaterThanOrEqual(document?.from ?? 1);
          document = next;
          const shown = plan.entries.filter(({ runId }) => runId !== "context").length;
          expect(plan.pruned?.entries ?? 0).toBe(entries.length - shown);
        }
      }),
      { numRuns: 300 },
    );
  });
});

const NO_CALLS: DrawnRun["turns"] = [];
const talk = (count: number, length = 400): readonly DrawnRun[] =>
  Array.from({ length: count }, () => ({ text: length, seeded: false, turns: NO_CALLS, answer: length }));
const read = (length: number) => [{ size: length, write: false, failed: false }];

function fitting(plan: ReturnType<typeof contextFor>): FittingContext {
  if (plan.kind !== "fits") throw new Error(plan.kind);
  return plan;
}

describe("truncation", () => {
  it("leaves out the oldest, down to three fifths, and then nothing more for a while", () => {
    const budget = budgetOf(2000);
    let document: ContextDocument | null = null;
    let moves = 0;
    for (let n = 1; n <= 60; n++) {
      const entries = transcriptOf(talk(n));
      const plan = fitting(contextFor(inputOf(entries, { strategy: "truncation", budget, window: windowOf(entries, document) })));
      if (plan.moved) {
        moves++;
        expect(plan.use().history).toBeLessThanOrEqual(1200);
      }
      document = plan.document ?? document;
    }
    // Each run adds 200 tokens, and each move of the window makes room for 800 tokens.
    expect(moves).toBeLessThanOrEqual(15);
    expect(moves).toBeGreaterThanOrEqual(10);
  });

  it("keeps the person's message and the seed of a run that has become long itself", () => {
    const long: DrawnRun = { text: 100, seeded: true, turns: [read(300), ...Array.from({ length: 40 }, () => read(1000))], answer: 0 };
    const entries = transcriptOf([...talk(3), long]);
    const { entries: shown, document } = fitting(contextFor(inputOf(entries, { strategy: "truncation", budget: budgetOf(3000) })));
    expect(shown.slice(0, 3).map(nameOf)).toEqual([`user ${runIdOf(3)}`, `turn ${runIdOf(3)} 0`, `result ${runIdOf(3)}.0.0`]);
    expect(document?.kept).toEqual([7, 8, 9]);
    expect(shown.at(-1)).toBe(entries.at(-1));
  });
});

describe("importance", () => {
  const runs: readonly DrawnRun[] = [
    { text: 40, seeded: false, turns: [read(200), read(8000)], answer: 100 },
    { text: 40, seeded: false, turns: [[{ size: 200, write: true, failed: false }]], answer: 100 },
    { text: 40, seeded: false, turns: [[{ size: 200, write: false, failed: true }]], answer: 100 },
    { text: 40, seeded: false, turns: [read(3000), read(500)], answer: 0 },
  ];

  it("leaves out large old lookups first, and keeps messages, writes and failures", () => {
    const entries = transcriptOf(runs);
    const { entries: shown } = fitting(contextFor(inputOf(entries, { strategy: "importance", budget: budgetOf(2200) })));
    const names = shown.map(nameOf);
    expect(names).not.toContain(`result ${runIdOf(0)}.2.0`);
    expect(names).toContain(`result ${runIdOf(0)}.1.0`);
    expect(names).toEqual(expect.arrayContaining([0, 1, 2, 3].map((n) => `user ${runIdOf(n)}`)));
    expect(names).toEqual(expect.arrayContaining([`result ${runIdOf(1)}.1.0`, `result ${runIdOf(2)}.1.0`, `result ${runIdOf(3)}.2.0`]));
  });

  it("names at most 256 entries from before the window's beginning, those that the run needs among them", () => {
    const many: DrawnRun = { text: 10, seeded: true, turns: Array.from({ length: 600 }, (_, n) => read(n === 300 ? 9000 : 4)), answer: 0 };
    const entries = transcriptOf([many]);
    const plan = fitting(contextFor(inputOf(entries, { strategy: "importance", budget: budgetOf(3000) })));
    expect(plan.document?.kept.length).toBeLessThanOrEqual(256);
    expect(plan.document?.kept.slice(0, 3)).toEqual([1, 2, 3]);
    // None of the kept entries is a message, but a prompt must begin with a message.
    const later = transcriptOf([many, ...talk(2)]);
    const next = fitting(contextFor(inputOf(later, { strategy: "importance", budget: budgetOf(3500) })));
    expect(next.pruned?.entries).toBeGreaterThan(256);
    expect(next.entries[0]?.type).toBe("user");
  });
});

describe("a sliding window", () => {
  const entries = transcriptOf(talk(12));
  const input = inputOf(entries, { strategy: "sliding", budget: budgetOf(2000) });

  it("has the model summarise the removed part, and shows the summary in its place", () => {
    const due = contextFor(input);
    if (due.kind !== "summarise") throw new Error(due.kind);
    const { request } = due;
    expect(request.tools).toEqual([]);
    expect(request.transcript).toHaveLength(1);
    expect(request.transcript[0]).toMatchObject({ type: "user", text: expect.stringContaining("Person: uuu") });
    const document = due.apply(reply("They said u and a."));
    expect(document.summary).toEqual({ text: "They said u and a.", upTo: document.from - 1, provider: "counting", model: "counting-1" });
    const next = fitting(contextFor({ ...input, window: windowOf(entries, document) }));
    expect(next.entries[0]).toMatchObject({ type: "user", runId: "context", text: expect.stringContaining("They said u and a.") });
    expect(next.entries.slice(1)).toEqual(entries.slice(document.from - 1));
    expect(next.pruned).toMatchObject({ strategy: "sliding", entries: document.from - 1, summary: true });
  });

  it("includes the previous summary in the next one", () => {
    const due = contextFor(input);
    if (due.kind !== "summarise") throw new Error(due.kind);
    const longer = transcriptOf(talk(20));
    const next = contextFor({ ...inputOf(longer, input), window: windowOf(longer, due.apply(reply("The first part."))) });
    expect(next).toMatchObject({ kind: "summarise", request: { transcript: [{ text: expect.stringContaining("The first part.") }] } });
  });

  it.each([
    ["says nothing", reply("  ")],
    ["declines", { ...reply("I cannot do that."), stop: "refusal" as const }],
  ])("leaves out without a summary when the model %s", (_, answered) => {
    const due = contextFor(input);
    if (due.kind !== "summarise") throw new Error(due.kind);
    const document = due.apply(answered);
    expect(document).toMatchObject({ summary: null, strategy: "truncation" });
    expect(document).toEqual(due.withoutSummary());
    expect(fitting(contextFor({ ...input, window: windowOf(entries, document) })).moved).toBe(false);
  });

  it("truncates a summary that is too long", () => {
    const due = contextFor(input);
    if (due.kind !== "summarise") throw new Error(due.kind);
    const document = due.apply(reply("s".repeat(50_000)));
    expect(fitting(contextFor({ ...input, window: windowOf(entries, document) })).use().history).toBeLessThanOrEqual(2000);
  });

  it("is a truncation if no second call may be made, and with the offline rules, which write no prose", () => {
    expect(contextFor({ ...input, maySummarise: false })).toMatchObject({ kind: "fits", pruned: { strategy: "truncation" } });
    expect(contextFor({ ...input, provider: { ...counting, name: "offline" } })).toMatchObject({
      kind: "fits",
      pruned: { strategy: "truncation" },
    });
  });

  it("shows the summarising model no more than its own window holds", () => {
    const large = transcriptOf(talk(4000));
    const due = contextFor(inputOf(large, { strategy: "sliding", budget: input.budget }));
    if (due.kind !== "summarise") throw new Error(due.kind);
    expect(tokensOf(due.request.transcript)).toBeLessThan(2000);
    expect(due.request.transcript[0]).toMatchObject({ text: expect.stringContaining("older entries are not shown") });
  });
});

describe("a run that is too long", () => {
  it("has its results truncated first, with a notice, and the log keeps them", () => {
    const entries = transcriptOf([{ text: 40, seeded: false, turns: [[...read(9000), ...read(9000)]], answer: 0 }]);
    const { entries: shown } = fitting(contextFor(inputOf(entries, { strategy: "truncation", budget: budgetOf(2500) })));
    expect(shown[2]).toMatchObject({ type: "result", content: expect.stringMatching(/^r{4000}\n\[5000 characters left out: /) });
    expect(entries[2]).toMatchObject({ content: "r".repeat(9000) });
  });

  it("ends with a sentence that says what to do when that is not enough", () => {
    const entries = transcriptOf([{ text: 9000, seeded: false, turns: [], answer: 0 }]);
    expect(contextFor(inputOf(entries, { strategy: "truncation", budget: budgetOf(1000) }))).toEqual({
      kind: "too_long",
      message:
        "The message and what its run cannot do without take about 2250 tokens, and there is room for 1000; send less at a time, or use a model with a larger window.",
    });
  });

  it("says so when the prompt and the tools leave no room at all", () => {
    const entries = transcriptOf(talk(1));
    expect(contextFor(inputOf(entries, { strategy: "importance", budget: budgetOf(-10) }))).toMatchObject({
      kind: "too_long",
      message: expect.stringContaining("no room for a conversation beside the system prompt, the tools and a reply of 1000 tokens"),
    });
  });

  it("is pruned to half of what was used when the vendor refused it, though by our count it fitted", () => {
    const entries = transcriptOf(talk(12));
    const input = inputOf(entries, { strategy: "truncation", budget: budgetOf(100_000) });
    const first = fitting(contextFor(input));
    const second = fitting(contextFor({ ...input, budget: tighter(input.budget, first.use().history), maySummarise: false }));
    expect(second.use().history).toBeLessThanOrEqual(first.use().history / 2);
    expect(second.moved).toBe(true);
    expect(second.entries.at(-1)).toBe(entries.at(-1));
  });
});

describe("a stored window", () => {
  it("is renewed when half of the time has passed by which it outlives its transcript", () => {
    const entries = transcriptOf(talk(12));
    const input = inputOf(entries, { strategy: "truncation", budget: budgetOf(2000) });
    const { document = null } = fitting(contextFor(input));
    const later = (days: number) =>
      fitting(contextFor({ ...input, window: windowOf(entries, document), now: input.now + days * 86_400_000 }));
    expect(later(14).document).toBeUndefined();
    expect(later(16).document).toEqual({ ...document, writtenAt: input.now + 16 * 86_400_000 });
  });

  it("begins after the entries that the process had no memory for", () => {
    const entries = transcriptOf(talk(12));
    const window = { document: null, entries: numbered(entries).slice(10), unread: { entries: 10, chars: 4000 } };
    const plan = fitting(contextFor(inputOf(entries, { strategy: "truncation", budget: budgetOf(100_000), window })));
    expect(plan.document).toMatchObject({ from: 11, kept: [], left: { entries: 10, tokens: 1000 } });
    const saved = { ...window, entries: [...numbered(entries).slice(0, 1), ...window.entries] };
    const other = fitting(contextFor(inputOf(entries, { strategy: "importance", budget: budgetOf(100_000), window: saved })));
    expect(other.document).toMatchObject({ from: 11, kept: [1] });
  });
});
