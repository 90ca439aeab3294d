import { keys, message, messageTypes, type RunEvent, type TranscriptEntry, topics } from "@toolbus/contracts";
import type { ModelRequest } from "@toolbus/models";
import { defineTool, registerToolset, type ToolContext, toolset } from "@toolbus/tool-kit";
import { describe, expect, it } from "vitest";
import { CONVERSATION, conversationUnderTest, run, type Script } from "./testing/conversation-under-test.ts";

const userTexts = (transcript: readonly TranscriptEntry[]): string[] =>
  transcript.flatMap((entry) => (entry.type === "user" ? [entry.text] : []));
const lastResult = (transcript: readonly TranscriptEntry[]): string | null => {
  const last = transcript.at(-1);
  return last?.type === "result" ? last.content : null;
};
const textOf = (event: RunEvent): string => (event.type === "run.completed" ? event.text : event.type);

const setup = (script: Script, parts = {}) => conversationUnderTest(() => Date.now(), script, parts);

/** Answers with all that the person has said so far. */
const echo: Script = ({ transcript }) => userTexts(transcript).join(" | ");

/** Returns a read tool that reports when it runs. A call ends when the test says so, or when its signal aborts. */
function waitingTool() {
  const running = Promise.withResolvers<ToolContext>();
  const aborted = Promise.withResolvers<unknown>();
  const done = Promise.withResolvers<string>();
  const tool = defineTool({
    name: "wait_for_it",
    kind: "read",
    description: "Waits, for tests.",
    parameters: { type: "object", properties: {}, additionalProperties: false },
    timeoutMs: 60_000,
    async run(_, context) {
      running.resolve(context);
      context.signal.addEventListener("abort", () => aborted.resolve(context.signal.reason), { once: true });
      return done.promise;
    },
  });
  return { tool, running: running.promise, aborted: aborted.promise, finish: done.resolve };
}

const lateTool = defineTool({
  name: "come_late",
  kind: "read",
  description: "Comes late, for tests.",
  parameters: { type: "object", properties: {}, additionalProperties: false },
  run: () => null,
});

const callsOnce: Script = ({ transcript }) => lastResult(transcript) ?? [{ name: "wait_for_it", arguments: "{}" }];

describe("a conversation", () => {
  it("answers message after message, each with the earlier ones in view, and counts what it used", async () => {
    await using c = await setup(echo);
    await c.say(1, "one");
    expect(textOf(await c.ended(1))).toBe("one");
    await c.say(2, "two");
    expect(textOf(await c.ended(2))).toBe("one | two");
    const { documents } = await c.state.read([keys.conversation(CONVERSATION)]);
    expect(documents[0]?.value).toMatchObject({
      activeRun: null,
      queue: [],
      runs: 2,
      usage: { inputTokens: 2, outputTokens: 2, modelCalls: 2, toolCalls: 0 },
      model: { provider: "scripted", model: "script-1" },
    });
  });

  it("moves between replicas that each know all of it", async () => {
    await using c = await setup(echo, { agents: 3 });
    const said: string[] = [];
    for (let n = 1; n <= 8; n++) {
      said.push(`m${n}`);
      await c.say(n, `m${n}`);
      expect(textOf(await c.ended(n))).toBe(said.join(" | "));
    }
  });

  it("processes simultaneous messages one after another, in the order in which they were accepted", async () => {
    await using c = await setup(echo, { agents: 2 });
    c.bus.setFaults({ reorder: 1, duplicate: 1 });
    for (const n of [1, 2, 3, 4]) await c.say(n, `m${n}`);
    for (const n of [1, 2, 3, 4]) expect((await c.ended(n)).type).toBe("run.completed");
    const entries = await c.state.range(keys.transcript(CONVERSATION), { after: 0, limit: 100 });
    expect(entries.map((entry) => (entry.value as { type: string }).type)).toEqual(Array(4).fill(["user", "assistant"]).flat());
  });

  /** Asks for a drink once, and reports the choice. */
  const waiter: Script = ({ transcript, tools }) => {
    const answer = lastResult(transcript);
    if (answer !== null) return `You chose ${(JSON.parse(answer) as { answer: string }).answer}.`;
    return tools.some(({ name }) => name === "ask_user") ? [{ name: "ask_user", arguments: '{"question":"Tea or coffee?"}' }] : "No tool.";
  };

  it("that waits for the person goes on at another agent, which has what is stored and nothing else", async () => {
    await using c = await setup(waiter);
    await c.say(1, "A drink, please.");
    const { callId } = await c.asked(1);
    const { documents } = await c.state.read([keys.run(run(1))]);
    expect(documents[0]?.value).toMatchObject({ status: "waiting", lease: null });
    await c.anotherAgent();
    await c.answer(callId, run(1), "tea");
    expect(textOf(await c.ended(1))).toBe("You chose tea.");
    const entries = await c.state.range(keys.transcript(CONVERSATION), { after: 0, limit: 100 });
    expect(entries.map((entry) => (entry.value as { type: string }).type)).toEqual(["user", "assistant", "result", "assistant"]);
  });

  it("asks the person, waits, and continues with the answer", async () => {
    await using c = await setup(waiter);
    await c.say(1, "A drink, please.");
    const asked = await c.asked(1);
    expect(asked).toMatchObject({ callId: `${run(1)}.1.0`, question: "Tea or coffee?", options: [] });
    await c.answer(asked.callId, run(1), "tea");
    expect(textOf(await c.ended(1))).toBe("You chose tea.");
  });

  it("is offered a tool that is registered during a run from its next run on", async () => {
    const waiting = waitingTool();
    const offered = ({ tools }: ModelRequest): string => tools.map(({ name }) => name).join(" ");
    const script: Script = (request) => (request.transcript.length === 1 ? [{ name: "wait_for_it", arguments: "{}" }] : offered(request));
    await using c = await setup(script, { tools: [waiting.tool] });
    await c.say(1, "Wait for it.");
    await waiting.running;
    await registerToolset(c.state, toolset({ name: "late", tools: [lateTool] }));
    waiting.finish("fine");
    expect(textOf(await c.ended(1))).not.toContain("come_late");
    await c.say(2, "And now?");
    expect(textOf(await c.ended(2))).toContain("come_late");
  });

  it("that is interrupted stops the running tool and answers the new message", async () => {
    const waiting = waitingTool();
    await using c = await setup((request) => (userTexts(request.transcript).length > 1 ? "Here." : callsOnce(request)), {
      tools: [waiting.tool],
    });
    await c.say(1, "Wait for it.");
    await waiting.running;
    await c.say(2, "Never mind, come here.", "interrupt");
    expect(await waiting.aborted).toMatchObject({ message: "The tool call was cancelled." });
    expect((await c.ended(1)).type).toBe("run.cancelled");
    expect(textOf(await c.ended(2))).toBe("Here.");
  });

  it("that is cancelled stops the running tool, and its call has its one result", async () => {
    const waiting = waitingTool();
    await using c = await setup(callsOnce, { tools: [waiting.tool] });
    await c.say(1, "Wait for it.");
    await waiting.running;
    await c.cancel(1);
    await waiting.aborted;
    expect((await c.ended(1)).type).toBe("run.cancelled");
    expect((await c.events(1)).filter((event) => event.type === "call.resolved")).toMatchObject([{ status: "cancelled" }]);
  });

  it("shows a tool's progress, and nothing from a sender that never saw the invoke", async () => {
    const waiting = waitingTool();
    await using c = await setup(callsOnce, { tools: [waiting.tool], agents: 2 });
    await c.say(1, "Wait for it.");
    const { progress, callId } = await waiting.running;
    const live = c.live(1, 2);
    const forged = { toolCallId: callId, toolName: "wait_for_it", n: 1e12, message: "All done!", secretHash: "sha256-guessed" };
    await c.bus.announce(
      message({ id: "forged", topic: topics.progress("default"), type: messageTypes.toolProgress, source: "/evil", now: 1, body: forged }),
    );
    progress({ message: "Half of it", fraction: 0.5 });
    const shown = { type: "progress", callId, tool: "wait_for_it", message: "Half of it", fraction: 0.5 };
    // Both replicas show the progress, and a viewer's gateway accepts one of the two events.
    expect(await live).toMatchObject([shown, shown]);
    waiting.finish("fine");
    expect(textOf(await c.ended(1))).toBe("fine");
  });
});

describe("an agent that starts", () => {
  it("announces which profiles it knows", async () => {
    await using c = await setup(echo, { agents: 2 });
    const { documents } = await c.state.read([keys.profiles("default")]);
    const profiles = [{ name: "chat", description: "Talks." }];
    expect(documents[0]?.value).toEqual({ agent: "default", profiles, at: expect.any(Number), seenAt: expect.any(Number) });
  });
});
