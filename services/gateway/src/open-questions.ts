import { type Call, keys, openQuestion, type OpenQuestion, parseCallQuestions } from "@toolbus/contracts";
import type { StateStore } from "@toolbus/state";

/**
 * Returns the questions that tools ask now, in the order of the calls. They come from the store, so they do not depend on any message. A worker that
 * died leaves its question open until the next attempt begins or the question expires.
 */
export async function openQuestions(state: StateStore, calls: readonly Call[]): Promise<readonly OpenQuestion[]> {
  const sent = calls.filter((call) => call.state === "dispatched");
  if (sent.length === 0) return [];
  const { now, documents } = await state.read(sent.map(({ toolset, callId }) => keys.questions(toolset, callId)));
  return sent.flatMap(({ callId }, n) => {
    const stored = parseCallQuestions(documents[n]?.value);
    const question = stored.ok && stored.value.callId === callId ? openQuestion(stored.value, now) : null;
    return stored.ok && question ? [{ callId, from: stored.value.from, untrusted: stored.value.untrusted, question }] : [];
  });
}
