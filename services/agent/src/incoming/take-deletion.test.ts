import { type ConversationState, keys, parseConversationState } from "@toolbus/contracts";
import { memoryStore, type StateStore } from "@toolbus/state";
import { silentLog } from "@toolbus/telemetry";
import { describe, expect, it } from "vitest";
import { CONVERSATION, conversationUnderTest, run, type Script } from "../testing/conversation-under-test.ts";
import { takeDeletion } from "./take-deletion.ts";

const echo: Script = ({ transcript }) => transcript.flatMap((entry) => (entry.type === "user" ? [entry.text] : [])).join(" | ");
const setup = (script: Script = echo) => conversationUnderTest(() => Date.now(), script);

const entryId = `${CONVERSATION}!delete`;
const deletion = {
  kind: "delete",
  entryId,
  runId: run(9),
  conversationId: CONVERSATION,
  agent: "default",
  by: "user:ada",
  acceptedAt: 1,
} as const;

async function stateOf(store: StateStore): Promise<ConversationState | null> {
  const { documents } = await store.read([keys.conversation(CONVERSATION)]);
  const parsed = parseConversationState(documents[0]?.value);
  return parsed.ok ? parsed.value : null;
}

async function deleted(store: StateStore): Promise<void> {
  await expect.poll(async () => (await stateOf(store))?.deletedAt).toEqual(expect.any(Number));
}

const said = (store: StateStore) => store.range(keys.transcript(CONVERSATION), { after: 0, limit: 100 });

describe("a conversation that its owner deleted", () => {
  it("no longer holds its messages, while its run can still be read", async () => {
    await using c = await setup();
    await c.say(1, "a secret of mine");
    await c.ended(1);
    expect(await said(c.state)).toHaveLength(2);
    await c.accept(deletion);
    await deleted(c.state);
    expect(await said(c.state)).toEqual([]);
    const { documents } = await c.state.read([keys.context(CONVERSATION), keys.run(run(1))]);
    expect(documents[0]).toBeNull();
    expect(documents[1]?.value).toMatchObject({ status: "done" });
    expect(await stateOf(c.state)).toMatchObject({ activeRun: null, queue: [], runs: 1, model: null });
  });

  it("is deleted once its run has ended, when a message was taken first", async () => {
    const asked: Script = ({ transcript, tools }) =>
      transcript.at(-1)?.type === "result" || !tools.some(({ name }) => name === "ask_user")
        ? "Fine."
        : [{ name: "ask_user", arguments: '{"question":"Tea?"}' }];
    await using c = await setup(asked);
    await c.say(1, "A drink, please.");
    const { callId } = await c.asked(1);
    await c.accept(deletion);
    // The gateway sends the entry again until the conversation is marked.
    const again = async () => c.wake(run(9), entryId);
    await again();
    expect((await stateOf(c.state))?.deletedAt).toBeUndefined();
    await c.answer(callId, run(1), "yes");
    expect((await c.ended(1)).type).toBe("run.completed");
    await again();
    await deleted(c.state);
    expect(await said(c.state)).toEqual([]);
  });

  it("begins no run of a message that was accepted before and taken after", async () => {
    await using c = await setup();
    await c.say(1, "one");
    await c.ended(1);
    await c.accept(deletion);
    await deleted(c.state);
    await c.say(2, "two");
    expect(await c.ended(2)).toMatchObject({
      type: "run.failed",
      code: "conversation_deleted",
      message: expect.stringContaining("deleted") as string,
    });
    expect(await said(c.state)).toEqual([]);
    expect((await stateOf(c.state))?.deletedAt).toEqual(expect.any(Number));
  });

  it("is deleted once, whichever replica is notified and however often", async () => {
    await using c = await setup();
    await c.say(1, "one");
    await c.ended(1);
    await c.accept(deletion);
    await deleted(c.state);
    const first = (await stateOf(c.state))?.deletedAt;
    await c.wake(run(9), entryId);
    await c.say(2, "two");
    await c.ended(2);
    expect((await stateOf(c.state))?.deletedAt).toBe(first);
  });

  it("no longer has long results in working memory", async () => {
    const clock = () => 1_000_000;
    const store = memoryStore({ clock });
    const indexKeys = Array.from({ length: 130 }, (_, n) => `session/${CONVERSATION}/tool-read-${run(1)}.1.${n}-index`);
    const value = { conversationId: CONVERSATION, activeRun: null, queue: [], runs: 1, usage: NOTHING, model: null, workingMemory: true };
    const key = keys.conversation(CONVERSATION);
    await store.commit("05", {
      op: "begin",
      guards: [{ key, version: 0 }],
      put: [{ key, value }, ...indexKeys.map((indexKey) => ({ key: keys.working(CONVERSATION, indexKey), value: { text: "long" } }))],
      append: [{ log: keys.transcript(CONVERSATION), entries: indexKeys.map((indexKey) => ({ type: "result", indexKey })) }],
    });
    const reader = { state: store, outbox: { commit: store.commit.bind(store) }, log: silentLog } as unknown as Parameters<
      typeof takeDeletion
    >[0];
    expect(await takeDeletion(reader, deletion)).toBe(true);
    const { documents } = await store.read(indexKeys.map((indexKey) => keys.working(CONVERSATION, indexKey)));
    expect(documents.filter((document) => document !== null)).toEqual([]);
    expect((await stateOf(store))?.deletedAt).toBe(1_000_000);
  });
});

const NOTHING = { inputTokens: 0, outputTokens: 0, modelCalls: 0, toolCalls: 0 };
