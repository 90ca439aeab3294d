import { type ContextDocument, keys, type NumberedRunEvent, type RunRecord, type Usage } from "@toolbus/contracts";
import { selectedWindow } from "../context/selection.ts";
import { headOf, requiredUnits, type Unit, unitsOf } from "../context/units.ts";
import { addUsage } from "../usage.ts";
import { putDocuments } from "./begin-run.ts";
import { type EndEvent, unpricedSummaries, usedBySummaries } from "./recorded-turns.ts";
import type { ReplayWorld } from "./replay-world.ts";

type Turn = Extract<NumberedRunEvent, { type: "turn" }>;
type Window = Pick<ContextDocument, "from" | "kept" | "anchor">;

/**
 * Puts the context document into the store that a shortened turn had, and the usage of the calls that wrote its summary. How much the model saw depends
 * on its tokenizer and its window, which the log does not have. The log has only the number of entries that were left out, so the window of the replay
 * is about the same one.
 */
export async function seedContext(world: ReplayWorld, record: RunRecord, turn: Turn): Promise<void> {
  const { pruned } = turn;
  if (!pruned) return;
  const { run } = record;
  const { conversationId, runId } = run;
  const key = keys.context(conversationId);
  const { documents } = await world.state.read([key]);
  const [before] = documents;
  const { entries, tokens, strategy } = pruned;
  const window = windowOf(record, turn);
  if (!window) return;
  const document: ContextDocument = {
    conversationId,
    ...window,
    left: { entries, tokens },
    writtenAt: world.clock.now(),
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
  // The agent goes on from memory as long as the run has its version, so the run is written even if nothing was used.
  await use(world, runId, { unpricedCalls: unpricedSummaries(record, turn) });
}

/** Adds the usage of the summaries that were written after the last turn of a run, before somebody or a limit ended it. Safe to use twice. */
export async function seedLastSummaries(world: ReplayWorld, { run }: RunRecord, end: EndEvent): Promise<void> {
  const used = usedBySummaries(end, (await world.snapshot(run.runId)).run.value.usage);
  if (Object.keys(used).length > 0) await use(world, run.runId, used);
}

async function use(world: ReplayWorld, runId: string, used: Partial<Usage>): Promise<void> {
  const { version, value } = (await world.snapshot(runId)).run;
  await putDocuments(world, runId, [[keys.run(runId), version, { ...value, usage: addUsage(value.usage, used) }]]);
}

/**
 * Returns a window with this number of entries left out that the agent may have chosen: it has what the run needs, and begins with a message of the person
 * or a summary. Of several such windows, returns the one with the newest entries. If no window leaves out just as many entries, returns one that leaves
 * out as few more as possible. Returns null if nothing was said before the turn.
 */
function windowOf({ run, transcript }: RunRecord, { round, pruned }: Turn): Window | null {
  const own = transcript.findIndex(({ entry }) => entry.type === "assistant" && entry.runId === run.runId && entry.round === round);
  const seen = transcript.slice(0, own < 0 ? transcript.length : own).map(({ entry }, n) => ({ sequence: n + 1, entry }));
  const units = unitsOf(seen, () => 0);
  const required = requiredUnits(units, run.runId);
  const most = seen.length - (pruned?.entries ?? 0);
  const sums = sumsFrom(units, required, most);
  const firsts = units.flatMap((unit, n) => (pruned?.summary || headOf(unit).type === "user" ? [n] : []));
  const possible = firsts.filter((n) => !required.slice(0, n).includes(true)).toReversed();
  for (let wanted = most; wanted > 0; wanted--) {
    const first = possible.find((n) => sums[n + 1]?.has(wanted - sizeOf(units[n])));
    if (first === undefined) continue;
    const { from, kept, anchor } = selectedWindow(units, selectionOf(units, required, sums, { first, wanted }));
    return { from, kept: [...kept], anchor };
  }
  return null;
}

/**
 * Returns, for each unit, which numbers of entries can be chosen from it and those after it, up to `most`. The required units are always chosen. A window is short,
 * so the limit keeps a long conversation cheap.
 */
function sumsFrom(units: readonly Unit[], required: readonly boolean[], most: number): readonly ReadonlySet<number>[] {
  const sums: Set<number>[] = [new Set([0])];
  for (const [n, unit] of [...units.entries()].toReversed()) {
    const after = sums[0] ?? new Set();
    const chosen = [...after].map((sum) => sum + sizeOf(unit)).filter((sum) => sum <= most);
    sums.unshift(new Set(required[n] ? chosen : [...after, ...chosen]));
  }
  return sums;
}

/** Chooses units with this number of entries in all, from the first one on, and leaves out old ones rather than new ones. */
function selectionOf(
  units: readonly Unit[],
  required: readonly boolean[],
  sums: readonly ReadonlySet<number>[],
  { first, wanted }: { readonly first: number; readonly wanted: number },
): readonly boolean[] {
  let left = wanted;
  return units.map((unit, n) => {
    if (n < first || (n > first && !required[n] && sums[n + 1]?.has(left))) return false;
    left -= sizeOf(unit);
    return true;
  });
}

const sizeOf = (unit: Unit | undefined): number => unit?.entries.length ?? 0;
