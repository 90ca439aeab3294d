import type { Json, TranscriptEntry } from "@toolbus/contracts";
import { keys } from "@toolbus/contracts";
import { type ModelProvider, estimateTokens, loadTokenizer, offlineModel } from "@toolbus/models";
import { memoryStore, type StateStore } from "@toolbus/state";

export const CONVERSATION = "cv_03_01JD0000000000000000000001";
export const SYSTEM_PROMPT = "You help the people at the orders desk. Look orders up before you say anything about them. ".repeat(10);

const BATCH = 100;

/** Returns a store in memory with a conversation of this many turns. Each turn has a message, a call, its result of 2 KB and an answer. */
export async function longConversation(turns: number): Promise<StateStore> {
  const store = memoryStore({ clock: () => 1 });
  const entries = Array.from({ length: turns }, (_, n) => turnEntries(n)).flat();
  const key = keys.conversation(CONVERSATION);
  for (let from = 0, version = 0; from < entries.length; from += BATCH) {
    const reply = await store.commit("03", {
      op: `batch ${from}`,
      guards: [{ key, version }],
      put: [{ key, value: { from } }],
      append: [{ log: keys.transcript(CONVERSATION), entries: entries.slice(from, from + BATCH) as unknown as Json[] }],
    });
    version = reply.commit;
  }
  return store;
}

export const runIdOf = (turn: number): string => `rn_03_${String(turn).padStart(26, "0")}`;

function turnEntries(n: number): readonly TranscriptEntry[] {
  const runId = runIdOf(n);
  const from = { runId, at: n };
  const call = { id: `c${n}`, callId: `${runId}.1.0`, name: "lookup_order", arguments: `{"order_id":"A-${n}"}` };
  const said = { ...from, type: "assistant", provider: "bench", model: "bench-1" } as const;
  return [
    { ...from, type: "user", text: `What became of order A-${n}, and who has to know of it before the end of the week?` },
    { ...said, round: 1, text: "", calls: [call] },
    {
      ...from,
      type: "result",
      round: 1,
      id: call.id,
      callId: call.callId,
      name: call.name,
      status: "ok",
      isError: false,
      content: order(n),
    },
    {
      ...said,
      round: 2,
      text: `Order A-${n} is paid and was sent; the warehouse knows of it, and nobody has to be told.`.repeat(3),
      calls: [],
    },
  ];
}

/** Returns 2 KB of JSON that differs from turn to turn. */
function order(n: number): string {
  const lines = Array.from({ length: 20 }, (_, line) => ({
    sku: `S-${n * 31 + line}`,
    quantity: line + 1,
    price: (n * 7 + line * 13) % 900,
    note: "to be sent with the rest",
  }));
  return JSON.stringify({ id: `A-${n}`, state: "sent", lines });
}

/** Returns a model that counts tokens as an adapter does, with a context window of 32,000 tokens. The model cannot be asked for a turn. */
export async function countingModel(): Promise<ModelProvider> {
  await loadTokenizer();
  const offline = offlineModel();
  return {
    ...offline,
    name: "bench",
    capabilities: { ...offline.capabilities, contextTokens: 32_000 },
    estimateTokens: (entries, system) => estimateTokens(entries, system, "openai"),
  };
}
