import { contentHash } from "@toolbus/grants";
import { keys, type RunEvent, type TranscriptEntry } from "@toolbus/contracts";
import { ContextOverflow, offlineModel } from "@toolbus/models";
import { defineTool, type Tool } from "@toolbus/tool-kit";
import { describe, expect, it } from "vitest";
import { CONVERSATION, conversationUnderTest, run, type Script } from "./testing/conversation-under-test.ts";
import { readEntry } from "./memory/stored-entries.ts";

const RECALL = "get_from_working_memory";
const section = (title: string, chars: number): string =>
  `# ${title}\n${`Über ${title} 😀. `.repeat(chars)}`.slice(0, chars).toWellFormed();
const LARGE = ["Alpha", "Beta", "Gamma"].map((title) => `${section(title, 40_000)}\n`).join("");

type Result = Extract<TranscriptEntry, { type: "result" }>;
const results = (transcript: readonly TranscriptEntry[]): Result[] => transcript.filter((entry) => entry.type === "result");
const textOf = (event: RunEvent): string => (event.type === "run.completed" ? event.text : event.type);
const call = (name: string, args: object = {}) => ({ name, arguments: JSON.stringify(args) });
const recalls = (key: string) => call(RECALL, { key });

function reads(name: string, run: (args: { readonly n?: number }) => string): Tool {
  const parameters = { type: "object", properties: { n: { type: "integer" } }, additionalProperties: false };
  return defineTool({ name, kind: "read", description: "Gives text, for tests.", parameters, run });
}

/** Returns a script that uses the next of these scripts at each model call. */
function inTurn(...said: readonly Script[]): Script {
  let n = 0;
  return (request) => (said[n++] ?? (() => "nothing is left to say"))(request);
}

function setup(script: Script, parts: Parameters<typeof conversationUnderTest>[2] = {}) {
  const clock = { ahead: 0 };
  const made = conversationUnderTest(() => Date.now() + clock.ahead, script, { tools: [reads("fetch_page", () => LARGE)], ...parts });
  return made.then((conversation) => Object.assign(conversation, { time: clock }));
}

/** Starts a conversation in which the model has read one page and said that it has finished. */
async function fetched(parts: Parameters<typeof setup>[1]) {
  const conversation = await setup(
    inTurn(
      () => [call("fetch_page")],
      () => "done",
    ),
    parts,
  );
  await conversation.say(1, "Read it.");
  await conversation.ended(1);
  return conversation;
}

const key = (part: string, callId = `${run(1)}.0.0`, tool = "fetch_page"): string =>
  `session/${CONVERSATION}/tool-${tool}-${callId}-${part}`;
const callId = (round: number, index = 0, n = 1): string => `${run(n)}.${round}.${index}`;

describe("a result that is too long for the model", () => {
  it("goes into working memory in chunks, which the model reads by their keys and answers from", async () => {
    const seen: { readonly tools: readonly string[]; readonly last: string }[] = [];
    const note: (script: Script) => Script = (script) => (request) => {
      seen.push({ tools: request.tools.map(({ name }) => name), last: results(request.transcript).at(-1)?.content ?? "" });
      return script(request);
    };
    const first = callId(1);
    await using c = await setup(
      inTurn(
        note(() => [call("fetch_page")]),
        note(() => [recalls(key("chunk2", first)), recalls(`tool-fetch_page-${first}-index`)]),
        note(({ transcript }) => `chunk 2 has ${results(transcript).at(-2)?.content.length} characters`),
      ),
    );
    await c.say(1, "Read it.");
    const answer = textOf(await c.ended(1));
    const transcript = await inflated(c);
    const [index, chunk, outline] = results(transcript);
    expect(index?.indexKey).toBe(key("index", first));
    expect(index?.content).toContain(`| 1 | ${key("chunk1", first)} | Alpha |`);
    expect(index?.content).toContain(`| 2 | ${key("chunk2", first)} | Beta |`);
    expect(index?.content.length).toBeLessThan(2000);
    expect(chunk?.content).toBe(LARGE.slice(LARGE.indexOf("# Beta"), LARGE.indexOf("# Gamma")));
    expect(answer).toBe(`chunk 2 has ${chunk?.content.length} characters`);
    expect(outline?.content).toContain("- Alpha (chunk 1)\n- Beta (chunk 2)\n- Gamma (chunk 3)");
    // The tool is offered as soon as there is something to read.
    expect(seen.map(({ tools }) => tools.includes(RECALL))).toEqual([false, true, true]);
    expect(seen[1]?.last).toBe(index?.content);
    const ended = (await c.events(1)).filter((event) => event.type === "call.resolved");
    expect(ended.map(({ content }) => content)).toEqual([LARGE.slice(0, 4096), chunk?.content.slice(0, 4096), outline?.content]);
  });

  it("has its pictures in the event and in the call, and the model reads only the text", async () => {
    const picture = defineTool({
      name: "draw",
      kind: "read",
      description: "Draws, for tests.",
      parameters: { type: "object", properties: {}, additionalProperties: false },
      run: (_, { attach }) => `drawn as ${attach({ mediaType: "image/png", bytes: Buffer.from("a picture") })}`,
    });
    await using c = await setup(
      inTurn(
        () => [call("draw")],
        ({ transcript }) => results(transcript)[0]?.content ?? "",
      ),
      { tools: [picture] },
    );
    await c.say(1, "Draw.");
    const ended = await c.ended(1);
    const resolved = (await c.events(1)).find((event) => event.type === "call.resolved");
    const blob = resolved?.media?.[0]?.blob ?? "";
    expect(resolved?.media).toEqual([{ blob, mediaType: "image/png", bytes: 9 }]);
    expect(textOf(ended)).toBe(`drawn as ${blob}`);
    const { documents } = await c.state.read([keys.call(callId(1))]);
    expect(documents[0]?.value).toMatchObject({ result: { media: resolved?.media } });
  });

  it("is shown in full up to the model's limit, even if it is too long for a document", async () => {
    const text = LARGE.slice(0, 64_000).toWellFormed();
    await using c = await fetched({ tools: [reads("fetch_page", () => text)] });
    expect(results(await inflated(c))[0]?.content).toBe(text);
    const { documents } = await c.state.read([keys.call(callId(1))]);
    expect(JSON.stringify(documents[0]?.value).length).toBeLessThan(30_000);
    expect(documents[0]?.value).toMatchObject({ result: { contentRef: { chars: 64_000 } } });
  });

  it("goes into working memory as soon as it exceeds the model's limit: 64,000 characters by default", async () => {
    const keptOf = async (chars: number, resultChars?: number) => {
      const capabilities = { ...offlineModel().capabilities, ...(resultChars === undefined ? {} : { resultChars }) };
      const parts = { tools: [reads("fetch_page", () => "x".repeat(chars))], model: { capabilities } };
      await using c = await fetched(parts);
      return results(await inflated(c))[0]?.indexKey;
    };
    expect([await keptOf(64_000), await keptOf(64_001)]).toEqual([undefined, key("index", callId(1))]);
    // A small model has its own limit.
    expect([await keptOf(32_000, 32_000), await keptOf(32_001, 32_000)]).toEqual([undefined, key("index", callId(1))]);
  });

  it("follows the profile's own limit, and two of one tool in one turn have separate keys", async () => {
    const page = (n = 0): string => `page ${n}\n${"x".repeat(9000)}`;
    await using c = await setup(
      inTurn(
        () => [call("fetch_page", { n: 1 }), call("fetch_page", { n: 2 })],
        () => [recalls(key("chunk1", callId(1, 0))), recalls(key("chunk1", callId(1, 1)))],
        () => "done",
      ),
      {
        tools: [reads("fetch_page", ({ n }) => page(n))],
        profile: { limits: { maxRounds: 5, activeMs: 30_000, maxTools: 12, maxTokens: 1000, resultChars: 5000 } },
      },
    );
    await c.say(1, "Read both.");
    await c.ended(1);
    const contents = results(await inflated(c)).map(({ content }) => content.slice(0, 6));
    expect(contents.slice(2)).toEqual(["page 1", "page 2"]);
  });

  it("is asked for by a later run of the conversation while it is kept, and is gone after that with a word on what to do", async () => {
    const keyOfIt = key("chunk3", callId(1));
    await using c = await setup(
      inTurn(
        () => [call("fetch_page")],
        () => "I have it.",
        () => [recalls(keyOfIt)],
        () => "Read.",
        () => [recalls(keyOfIt)],
        ({ transcript }) => results(transcript).at(-1)?.content ?? "",
      ),
    );
    await c.say(1, "Read it.");
    await c.ended(1);
    c.time.ahead = 19 * 60_000;
    await c.say(2, "And the end?");
    await c.ended(2);
    expect(results(await inflated(c)).at(-1)?.content).toMatch(/^# Gamma/);
    c.time.ahead = 21 * 60_000;
    await c.say(3, "Again?");
    const said = JSON.parse(textOf(await c.ended(3)));
    expect(said).toMatchObject({ error: "not_in_working_memory" });
    expect(said.message).toContain("keeps a result for 20 minutes. Call the tool again");
  });

  it("is not read from another conversation, nor under an invalid key", async () => {
    const other = `session/cv_05_01JD0000000000000000000009/tool-fetch_page-${callId(1)}-chunk1`;
    await using c = await setup(
      inTurn(
        () => [call("fetch_page")],
        () => [
          recalls(other),
          recalls(`/tool-fetch_page-${callId(1)}-chunk1`),
          recalls("chunk1"),
          recalls(key("chunk99", callId(1))),
          call(RECALL),
        ],
        () => "done",
      ),
    );
    await c.say(1, "Read it.");
    await c.ended(1);
    const refused = results(await inflated(c))
      .slice(1)
      .map(({ content }) => JSON.parse(content).error);
    expect(refused).toEqual(["policy_denied", "policy_denied", "not_in_working_memory", "not_in_working_memory", "invalid_arguments"]);
  });

  it.each([
    ["the profile has no working memory", { profile: { workingMemory: false } }],
    ["the model has no tools", { model: { capabilities: { ...offlineModel().capabilities, tools: false } } }],
  ])("is truncated with a notice if %s", async (_, parts) => {
    await using c = await fetched(parts);
    const [cut] = results(await inflated(c));
    const kept = LARGE.slice(0, 64_000).toWellFormed();
    const [, left] = /\n\[truncated: (\d+) more characters left out\]$/.exec(cut?.content ?? "") ?? [];
    expect(cut?.content.startsWith(kept.slice(0, 63_999))).toBe(true);
    expect((cut?.content.length ?? 0) - `\n[truncated: ${left} more characters left out]`.length + Number(left)).toBe(LARGE.length);
  });

  it("that is lost from the store before it is joined is an error that says to call again", async () => {
    const parts = { tools: [reads("fetch_page", () => LARGE)] };
    await using c = await setup(
      inTurn(
        () => [call("fetch_page")],
        ({ transcript }) => results(transcript)[0]?.content ?? "",
      ),
      parts,
    );
    const { getBlob } = c.state;
    Object.assign(c.state, { getBlob: async () => null });
    await c.say(1, "Read it.");
    expect(JSON.parse(textOf(await c.ended(1)))).toMatchObject({ error: "result_unavailable", retryable: true });
    Object.assign(c.state, { getBlob });
  });

  it("that the provider still finds too long is truncated at once for the model, and the log keeps it", async () => {
    const text = LARGE.slice(0, 60_000).toWellFormed();
    const shown: string[] = [];
    await using c = await setup(
      inTurn(
        () => [call("fetch_page")],
        ({ transcript }) => {
          shown.push(results(transcript)[0]?.content ?? "");
          throw new ContextOverflow("The prompt is too long.");
        },
        ({ transcript }) => (shown.push(results(transcript)[0]?.content ?? ""), "Read."),
      ),
      { tools: [reads("fetch_page", () => text)] },
    );
    await c.say(1, "Read it.");
    expect(textOf(await c.ended(1))).toBe("Read.");
    const [whole, cut] = shown;
    expect(whole).toBe(text);
    expect(cut?.length).toBeLessThan(40_000);
    expect(cut).toMatch(/characters left out: the model's window has no room for them/);
    expect(results(await inflated(c))[0]?.content).toBe(text);
  });

  it("is evidence by the hash of the whole", async () => {
    await using c = await setup(
      inTurn(
        () => [call("fetch_page")],
        () => "done",
      ),
      {
        profile: { report: { kind: "conclusion", subjectFromInput: "subject" } },
      },
    );
    await c.say(1, "Read it.");
    await c.ended(1);
    const { documents } = await c.state.read([keys.run(run(1))]);
    expect(documents[0]?.value).toMatchObject({ report: { evidence: [{ contentHash: contentHash(LARGE) }] } });
  });
});

async function inflated({ state }: Pick<Awaited<ReturnType<typeof conversationUnderTest>>, "state">): Promise<TranscriptEntry[]> {
  const entries = await state.range(keys.transcript(CONVERSATION), { after: 0, limit: 100 });
  return Promise.all(entries.map(({ value }) => readEntry(state, value as never)));
}
