import {
  contextBudget,
  contextFor,
  type ContextInput,
  type Profile,
  transcripts,
  type TranscriptWindow,
  withContext,
} from "@toolbus/agent";
import { keys } from "@toolbus/contracts";
import type { StateStore } from "@toolbus/state";
import type { Conditions, Results } from "../benchmark.ts";
import { type Contest, measured } from "../contest.ts";
import { type Row, rounded, rowOf } from "../row.ts";
import { tableOf } from "../table.ts";
import { CONVERSATION, countingModel, longConversation, runIdOf, SYSTEM_PROMPT } from "./long-conversation.ts";
import { naiveContext } from "./naive-context.ts";

/** The numbers of turns of the measured conversations. */
const TURNS = [10, 100, 1000] as const;

/**
 * Measures how long it takes to build the context of the next turn of a conversation. It measures a process that made the previous turn, and a
 * process that has read nothing. Both are compared with a loop that reads, converts and counts the whole transcript each time. State is in memory, so
 * no disk is measured.
 */
export async function context(conditions: Conditions, lengths: readonly [number, number, number] = TURNS): Promise<Results> {
  const rows: Row[] = [];
  for (const process of ["warm", "cold"] as const)
    for (const turns of lengths) {
      const plan = { sliceMs: 100, open: () => openContext(turns, process) };
      rows.push(rowOf(`${turns} turns, ${process}`, await measured(plan, conditions)));
    }
  return { rows, table: tableOf(rows), notes: [growthOf(rows, lengths)] };
}

type Process = "warm" | "cold";

async function openContext(turns: number, process: Process): Promise<Contest> {
  const store = await longConversation(turns);
  const model = await countingModel();
  const budget = contextBudget({ provider: model, profile: PROFILE, tools: new Map(), ratio: 1 });
  const input = (window: TranscriptWindow): ContextInput => ({
    window,
    budget,
    strategy: "truncation",
    run: { runId: runIdOf(turns - 1), conversationId: CONVERSATION, profile: PROFILE.name, input: {} },
    provider: model,
    isWrite: () => false,
    maySummarise: false,
    now: 1,
  });
  await storeWindow(store, input);
  const reader = () => transcripts(store, { maxChars: 10_000_000, keptChars: 100_000_000, monotonic: () => performance.now() });
  const known = reader();
  return {
    async subject() {
      const window = await (process === "warm" ? known : reader()).window(CONVERSATION);
      const plan = contextFor(input(withNewTurn(window)));
      if (plan.kind !== "fits" || plan.moved) throw new Error(`The context of ${turns} turns is not what was stored.`);
    },
    bare: async () => void (await naiveContext(store, model, budget.history.tokens + budget.fixed)),
    stop: () => store.close(),
  };
}

/** Prunes the context once and stores the result, as the agent did in the previous turn. */
async function storeWindow(store: StateStore, input: (window: TranscriptWindow) => ContextInput): Promise<void> {
  const window = await transcripts(store, { maxChars: 10_000_000, keptChars: 100_000_000, monotonic: () => performance.now() }).window(
    CONVERSATION,
  );
  const plan = contextFor(input(window));
  if (plan.kind !== "fits") throw new Error(plan.kind);
  const key = keys.conversation(CONVERSATION);
  const { documents } = await store.read([key]);
  const guards = [{ key, version: documents[0]?.version ?? 0 }];
  await store.commit("03", withContext({ op: "window", guards, put: [{ key, value: {} }] }, plan.document));
}

const TURN_ENTRIES = 4;

/** Returns the window with a new last turn. The tokens of the new turn are not counted yet. */
function withNewTurn({ entries, ...rest }: TranscriptWindow): TranscriptWindow {
  const last = entries.slice(-TURN_ENTRIES).map(({ sequence, entry }) => ({ sequence, entry: { ...entry } }));
  return { ...rest, entries: [...entries.slice(0, -TURN_ENTRIES), ...last] };
}

function growthOf(rows: readonly Row[], [, middle, most]: readonly [number, number, number]): string {
  const of = (turns: number, process: Process): Row | undefined => rows.find(({ name }) => name === `${turns} turns, ${process}`);
  const growth = (process: Process, part: "p50Ms" | "bareP50Ms"): number =>
    rounded((of(most, process)?.[part] ?? Number.NaN) / (of(middle, process)?.[part] ?? Number.NaN));
  return `The p50 at ${most} turns over that at ${middle}: warm ${growth("warm", "p50Ms")}, cold ${growth("cold", "p50Ms")}, by hand ${growth("cold", "bareP50Ms")}.`;
}

const PROFILE: Profile = {
  name: "bench",
  description: "Looks orders up.",
  systemPrompt: SYSTEM_PROMPT,
  tools: [],
  limits: { maxRounds: 10, activeMs: 60_000, maxTools: 12, maxTokens: 2048 },
  model: null,
  toolChoice: "auto",
  seedCalls: [],
  report: null,
  askUser: false,
  continueAfterFailedWrite: false,
};
