import { type ContextDocument, keys, type NumberedRunEvent, type RunRecord } from "@toolbus/contracts";
import { putDocuments } from "./begin-run.ts";
import type { ReplayWorld } from "./replay-world.ts";

/**
 * Puts the context document into the store that a shortened turn had. How much the model saw depends on its tokenizer and its window, which the log
 * does not have. The log has only the number of entries that were left out, so the window of the replay is about the same one.
 */
export async function seedContext(
  world: ReplayWorld,
  { run, transcript }: RunRecord,
  { pruned }: Extract<NumberedRunEvent, { type: "turn" }>,
): Promise<void> {
  const { conversationId, runId } = run;
  const key = keys.context(conversationId);
  const { documents } = await world.state.read([key]);
  const [before] = documents;
  if (!pruned) return;
  const { entries, tokens, strategy } = pruned;
  const message = transcript.findIndex(({ entry }) => entry.type === "user" && entry.runId === runId) + 1;
  const kept = entries >= message ? [message] : [];
  const from = entries + 1 + kept.length;
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
}
