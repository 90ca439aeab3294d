import type { ContextDocument, ContextStrategy, TranscriptEntry } from "@toolbus/contracts";
import { type ModelProvider, type ModelReply, offlineModel } from "@toolbus/models";
import fc from "fast-check";
import type { ContextBudget } from "../context/budget.ts";
import { contextFor } from "../context/context-for.ts";
import type { ContextInput } from "../context/context-plan.ts";
import type { NumberedEntry, TranscriptWindow } from "../context/transcript-window.ts";

/** A generated run: a message, perhaps a seed turn, turns with calls, and an answer unless the run is active. */
export interface DrawnRun {
  readonly text: number;
  readonly seeded: boolean;
  readonly turns: readonly (readonly { readonly size: number; readonly write: boolean; readonly failed: boolean }[])[];
  readonly answer: number;
}

const size = fc.oneof(
  { weight: 5, arbitrary: fc.integer({ min: 0, max: 400 }) },
  { weight: 1, arbitrary: fc.integer({ min: 400, max: 9000 }) },
);
const call = fc.record({ size, write: fc.boolean(), failed: fc.boolean() });

export const drawnRun: fc.Arbitrary<DrawnRun> = fc.record({
  text: size,
  seeded: fc.boolean(),
  turns: fc.array(fc.array(call, { minLength: 1, maxLength: 4 }), { maxLength: 5 }),
  answer: size,
});

export const drawnRuns = fc.array(drawnRun, { minLength: 1, maxLength: 8 });

/** Returns the runs as a transcript. The last run has no answer yet. */
export function transcriptOf(runs: readonly DrawnRun[]): readonly TranscriptEntry[] {
  return runs.flatMap((run, n) => entriesOf(run, runIdOf(n), n < runs.length - 1));
}

export const runIdOf = (n: number): string => `rn_03_${n}`;

function entriesOf({ text, seeded, turns, answer }: DrawnRun, runId: string, ended: boolean): readonly TranscriptEntry[] {
  const said = turns.flatMap((calls, n) => turnOf(runId, seeded ? n : n + 1, calls));
  const last = ended ? [assistant(runId, 99, "a".repeat(answer), [])] : [];
  return [{ type: "user", runId, text: "u".repeat(text), at: 1 }, ...said, ...last];
}

function turnOf(runId: string, round: number, calls: DrawnRun["turns"][number]): readonly TranscriptEntry[] {
  const named = calls.map(({ write }, n) => ({
    id: `${round}_${n}`,
    callId: `${runId}.${round}.${n}`,
    name: write ? "change" : "look",
    arguments: "{}",
  }));
  const results = calls.map(({ size: length, failed }, n): TranscriptEntry => {
    const { id = "", callId = "", name = "" } = named[n] ?? {};
    return {
      type: "result",
      runId,
      round,
      id,
      callId,
      name,
      status: failed ? "error" : "ok",
      content: "r".repeat(length),
      isError: failed,
      at: 1,
    };
  });
  return [assistant(runId, round, "", named), ...results];
}

type Calls = Extract<TranscriptEntry, { type: "assistant" }>["calls"];

function assistant(runId: string, round: number, text: string, calls: Calls): TranscriptEntry {
  return { type: "assistant", runId, round, text, calls, at: 1, provider: round === 0 ? "toolbus" : "test", model: "test" };
}

export function numbered(entries: readonly TranscriptEntry[]): readonly NumberedEntry[] {
  return entries.map((entry, n) => ({ sequence: n + 1, entry }));
}

/** Returns what a process that has read nothing finds in the store: the entries of the log that the document names. */
export function windowOf(entries: readonly TranscriptEntry[], document: ContextDocument | null): TranscriptWindow {
  const kept = new Set(document?.kept);
  const from = document?.from ?? 1;
  return {
    document,
    entries: numbered(entries).filter(({ sequence }) => sequence >= from || kept.has(sequence)),
    unread: { entries: 0, chars: 0 },
  };
}

/** A model that counts four characters per token and summarises. */
export const counting: ModelProvider = { ...offlineModel(), name: "counting" };

export function budgetOf(tokens: number, messages = Number.POSITIVE_INFINITY): ContextBudget {
  return {
    window: 200_000,
    fixed: 100,
    response: 1000,
    margin: 20_000,
    history: { tokens, messages },
    target: { tokens: Math.floor(tokens * 0.6), messages: Math.floor(messages * 0.6) },
    ratio: 1,
  };
}

export function inputOf(
  entries: readonly TranscriptEntry[],
  part: { readonly budget: ContextBudget; readonly strategy: ContextStrategy } & Partial<ContextInput>,
): ContextInput {
  return {
    window: windowOf(entries, null),
    run: { runId: entries.at(-1)?.runId ?? "", conversationId: "cv_03_1", profile: "test", input: {} },
    provider: counting,
    isWrite: (tool) => tool === "change",
    maySummarise: true,
    now: 1_800_000_000_000,
    ...part,
  };
}

export const reply = (text: string): ModelReply => ({
  text,
  calls: [],
  stop: "end_turn",
  usage: { inputTokens: 1, outputTokens: 1 },
  model: "counting-1",
});

/** Plans as a run does. Writes a summary whenever one is due. Then plans again from the new document, as a process does that has read nothing. */
export function settled(
  entries: readonly TranscriptEntry[],
  input: ContextInput,
  summary = "What was said.",
): Exclude<ReturnType<typeof contextFor>, { kind: "summarise" }> {
  let at = input;
  for (let step = 0; step < 50; step++) {
    const plan = contextFor(at);
    if (plan.kind !== "summarise") return plan;
    at = { ...at, window: windowOf(entries, plan.apply(reply(summary))) };
  }
  throw new Error("A summary is due for ever.");
}
