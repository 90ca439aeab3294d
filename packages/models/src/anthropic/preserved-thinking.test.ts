import type { JsonObject, TranscriptEntry } from "@toolbus/contracts";
import { startModelServer } from "@toolbus/model-servers";
import { describe, expect, it } from "vitest";
import { afterReply, completed, lookup, requestOf, restock, resultEntry, seedTurn, toolNamed, userEntry } from "../conformance/requests.ts";
import { modelFacts } from "../facts/model-facts.ts";
import type { ModelRequest } from "../model-provider.ts";
import { anthropicModel } from "./anthropic-model.ts";

type Change = (request: ModelRequest) => ModelRequest;

/** Starts a model that thinks in every turn. It makes a lookup for each message of a person and answers when it has the result. */
async function setup() {
  const server = await startModelServer("anthropic");
  const facts = modelFacts("anthropic", server.model);
  const provider = anthropicModel({ model: server.model, apiKey: server.key, baseUrl: server.url, facts });
  let turns = 0;
  server.think(({ messages, toolChoice }) => {
    const turn = ++turns;
    const answers = messages.at(-1)?.role === "tool" || toolChoice === "none";
    const thinking = `Thought ${turn}, with "quotes" and ünïcödé.`;
    return answers ? { thinking, text: `Answer ${turn}.` } : { thinking, calls: [{ name: lookup.name, arguments: { id: `${turn}` } }] };
  });

  /** Completes one turn and returns the next request as a store would return it. */
  async function turn(request: ModelRequest): Promise<ModelRequest> {
    const { reply } = await completed(provider, request);
    const next = afterReply(request, reply, provider);
    return { ...next, transcript: JSON.parse(JSON.stringify(next.transcript)) as readonly TranscriptEntry[] };
  }

  /** Adds a message of the user and completes the two turns that answer it. */
  async function said(request: ModelRequest, text: string): Promise<ModelRequest> {
    return turn(await turn(withUser(request, text)));
  }

  /** Returns the numbers of the thoughts that went back in the last request. */
  function thoughtsSent(): readonly number[] {
    return sentBlocks()
      .filter(({ type }) => type === "thinking")
      .map(({ thinking }) => Number(/\d+/.exec(JSON.stringify(thinking))?.[0]));
  }

  function sentBlocks(): readonly JsonObject[] {
    const body = server.requests.at(-1)?.body as { readonly messages: readonly { readonly content: readonly JsonObject[] }[] };
    return body.messages.flatMap(({ content }) => content);
  }

  return {
    server,
    provider,
    turn,
    said,
    thoughtsSent,
    sentBlocks,
    statuses: () => server.requests.map(({ status, refusal }) => refusal ?? status),
    [Symbol.asyncDispose]: () => server.close(),
  };
}

function withUser(request: ModelRequest, text: string): ModelRequest {
  return { ...request, transcript: [...request.transcript, userEntry(text)] };
}

const begin = requestOf([]);
/** The index of the user's second message, after a message, a call, its result and an answer. */
const SECOND = 4;

describe("thinking that Anthropic signed", () => {
  it("goes back byte for byte while nothing before it changes, across runs and after a restart", async () => {
    await using bundle = await setup();
    const talked = await bundle.said(await bundle.said(begin, "One."), "Two.");
    const made = talked.transcript.flatMap((entry) => (entry.type === "assistant" ? [entry.vendor?.payload as JsonObject] : []));
    await bundle.turn(withUser(talked, "Three."));
    expect(bundle.statuses()).toEqual([200, 200, 200, 200, 200]);
    expect(bundle.thoughtsSent()).toEqual([1, 2, 3, 4]);
    const thinking = made.flatMap(({ content }) => content as readonly JsonObject[]).filter(({ type }) => type === "thinking");
    const back = bundle.sentBlocks().filter(({ type }) => type === "thinking");
    expect(back.map((block) => JSON.stringify(block))).toEqual(thinking.map((block) => JSON.stringify(block)));
  });

  it.each<[string, Change, readonly number[]]>([
    ["the first messages are pruned", (request) => ({ ...request, transcript: request.transcript.slice(SECOND) }), []],
    [
      "a summary replaces them",
      (request) => ({ ...request, transcript: [userEntry("Summary: one thing."), ...request.transcript.slice(SECOND)] }),
      [],
    ],
    [
      "a result is emptied",
      (request) => ({
        ...request,
        transcript: request.transcript.map((entry, at) =>
          at === 2 && entry.type === "result" ? { ...entry, content: "(left out)" } : entry,
        ),
      }),
      [1],
    ],
    [
      "a message in the middle is different",
      (request) => ({ ...request, transcript: request.transcript.map((entry, at) => (at === SECOND ? userEntry("Other.") : entry)) }),
      [1, 2],
    ],
    ["the system prompt is different", (request) => ({ ...request, system: "Today is another day." }), []],
    ["a tool is added", (request) => ({ ...request, tools: [...request.tools, toolNamed("third_tool")] }), []],
    ["a tool is removed", (request) => ({ ...request, tools: [lookup] }), []],
    ["the tools have another order", (request) => ({ ...request, tools: [restock, lookup] }), []],
    ["no tools are offered", (request) => ({ ...request, tools: [] }), []],
  ])("is left out after the change, and later thoughts go back again, if %s", async (_, change, kept) => {
    await using bundle = await setup();
    const talked = await bundle.said(await bundle.said(begin, "One."), "Two.");
    const changed = await bundle.turn(withUser(change(talked), "Three."));
    expect(bundle.statuses().at(-1)).toBe(200);
    expect(bundle.thoughtsSent()).toEqual(kept);
    const calls = changed.transcript.flatMap((entry) => (entry.type === "assistant" ? entry.calls : []));
    await bundle.turn(withUser(changed, "Four."));
    expect(bundle.statuses().at(-1)).toBe(200);
    expect(bundle.thoughtsSent()).toEqual([...kept, 5]);
    expect(
      bundle
        .sentBlocks()
        .filter(({ type }) => type === "tool_use")
        .map(({ id }) => id),
    ).toEqual(calls.map(({ id }) => id));
  });

  it("is also left out of calls that still need an answer", async () => {
    await using bundle = await setup();
    const called = await bundle.turn(withUser(await bundle.said(begin, "One."), "Two."));
    await bundle.turn({ ...called, tools: [...called.tools, toolNamed("third_tool")] });
    expect(bundle.statuses()).toEqual([200, 200, 200, 200]);
    expect(bundle.thoughtsSent()).toEqual([]);
    expect(bundle.sentBlocks().filter(({ type }) => type === "tool_use")).toHaveLength(2);
  });

  it("is valid again when the change is undone, except for thoughts in between", async () => {
    await using bundle = await setup();
    const talked = await bundle.said(begin, "One.");
    const away = await bundle.said({ ...talked, system: "Another." }, "Two.");
    await bundle.turn(withUser({ ...away, system: talked.system }, "Three."));
    expect(bundle.statuses().at(-1)).toBe(200);
    expect(bundle.thoughtsSent()).toEqual([1, 2]);
  });

  it("goes back around the turns of another model, whose own thinking does not", async () => {
    await using bundle = await setup();
    const talked = await bundle.said(begin, "One.");
    const payload = { content: [{ type: "thinking", thinking: "Thought 9.", signature: "of another" }], prefix: "x" };
    const call = { id: "toolu_other", name: lookup.name, arguments: '{"id":"9"}' };
    const moved: ModelRequest = {
      ...talked,
      transcript: [
        ...talked.transcript,
        userEntry("Two."),
        { ...seedTurn("Foreign.", call), vendor: { api: "anthropic.messages", model: "claude-other", payload } },
        resultEntry(call.id, lookup.name, "{}"),
        seedTurn("Foreign answer."),
      ],
    };
    const back = await bundle.said(moved, "Three.");
    await bundle.turn(withUser(back, "Four."));
    expect(bundle.statuses()).toEqual([200, 200, 200, 200, 200]);
    expect(bundle.thoughtsSent()).toEqual([1, 2, 3, 4]);
  });

  it("is left out of a turn that continued a previous one, because both form one message from then on", async () => {
    await using bundle = await setup();
    const begun = await bundle.turn(requestOf([userEntry("One."), seedTurn("I begin.")]));
    const answered = await bundle.turn(begun);
    expect(bundle.statuses()).toEqual([200, 200]);
    expect(bundle.thoughtsSent()).toEqual([]);
    await bundle.turn(withUser(answered, "Two."));
    expect(bundle.statuses()).toEqual([200, 200, 200]);
    expect(bundle.thoughtsSent()).toEqual([2]);
  });
});
