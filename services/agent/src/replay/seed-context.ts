import { type ContextDocument, keys, type NumberedRunEvent, type RunRecord } from "@toolbus/contracts";
import { addUsage } from "../usage.ts";
import { putDocuments } from "./begin-run.ts";
import { unpricedSummaries } from "./recorded-turns.ts";
import type { ReplayWorld } from "./replay-world.ts";

type Turn = Extract<NumberedRunEvent, { type: "turn" }>;
type Window = Pick<ContextDocument, "from" | "kept">;

/**
 * Puts the context document into the store that a shortened turn had, and the usage of the calls that wrote its summary. How much the model saw depends
 * on its tokenizer and its window, which the log does not have. The log has only the number of entries that were left out, so the window of the replay
 * is about the same one.
 */
export async function seedContext(world: ReplayWorld, record: RunRecord, turn: Turn): Promise<void> {
  const { pruned } = turn;
  if (!pruned) return;
  const { run, transcript } = record;
  const { conversationId, runId } = run;
  const key = keys.context(conversationId);
  const { documents } = await world.state.read([key]);
  const [before] = documents;
  const { entries, tokens, strategy } = pruned;
  const { from, kept } = windowOf(record, turn) ?? { from: entries + 1, kept: [] };
  const anchor = transcript[from - 1]?.entry ?? transcript.at(-1)?.entry;
  if (!anchor) return;
  const document: ContextDocument = {
    conversationId,
    from,
    kept,
    left: { entries, tokens },
    writtenAt: world.clock.now(),
    anchor: { runId: anchor.runId, at: anchor.at },
    strategy: strategy as ContextDocument["strategy"],
    summary: pruned.summary
      ? {
          text: "",
          upTo: entries,
          provider: "recorded",
          model: "recorded",
        }
      : null,
  };
  await putDocuments(world, runId, [[key, before?.version ?? 0, document]]);
  const unpriced = unpricedSummaries(record, turn);
  if (unpriced === 0) return;
  const { version, value } = (await world.snapshot(runId)).run;
  await putDocuments(world, runId, [[keys.run(runId), version, { ...value, usage: addUsage(value.usage, { unpricedCalls: unpriced }) }]]);
}

/**
 * Returns the window with this number of entries left out that the agent may have chosen: it has the message and the seed turn of the run, never begins
 * with a result, and begins with a message of the person or a summary. Returns null if there is none.
 */
function windowOf({ run, transcript }: RunRecord, { round, pruned }: Turn): Window | null {
  const own = transcript.findIndex(({ entry }) => entry.type === "assistant" && entry.runId === run.runId && entry.round === round);
  const seen = transcript.slice(0, own < 0 ? transcript.length : own).map(({ entry }) => entry);
  const placesOf = (wanted: (entry: (typeof seen)[number]) => boolean) => seen.flatMap((entry, n) => (wanted(entry) ? [n + 1] : []));
  const [message = 0] = placesOf(({ type, runId }) => type === "user" && runId === run.runId);
  const seed = placesOf((entry) => entry.type !== "user" && entry.runId === run.runId && entry.round === 0);
  for (const [n, first] of seen.entries()) {
    if (first.type === "result") continue;
    const from = n + 1;
    const required = [message, ...seed].filter((place) => place > 0 && place < from);
    const begins = pruned?.summary || first.type === "user" ? [] : placesOf(({ type, runId }) => type === "user" && runId === first.runId);
    const kept = [...new Set([...begins.slice(0, 1), ...required])].toSorted((a, b) => a - b);
    if (from - 1 - kept.length === pruned?.entries) return { from, kept };
  }
  return null;
}
