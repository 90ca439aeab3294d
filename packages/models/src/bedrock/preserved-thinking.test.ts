import type { JsonObject, TranscriptEntry } from "@toolbus/contracts";
import { startModelServer } from "@toolbus/model-servers";
import { describe, expect, it } from "vitest";
import { afterReply, completed, lookup, requestOf, toolNamed, userEntry } from "../conformance/requests.ts";
import { modelFacts } from "../facts/model-facts.ts";
import type { ModelRequest } from "../model-provider.ts";
import { bedrockModel } from "./bedrock-model.ts";

/** Starts a model that thinks in every turn. It makes a lookup for each message of a person and answers when it has the result. */
async function setup() {
  const server = await startModelServer("bedrock");
  const provider = bedrockModel({
    model: server.model,
    apiKey: null,
    baseUrl: server.url,
    region: "us-east-1",
    credentials: { accessKeyId: "AKIDTOOLBUS", secretAccessKey: server.key },
    facts: modelFacts("bedrock", server.model),
  });
  let turns = 0;
  server.think(({ messages }) => {
    const thinking = `Thought ${++turns}.`;
    return messages.at(-1)?.role === "tool"
      ? { thinking, text: "Done." }
      : { thinking, calls: [{ name: lookup.name, arguments: { id: "7" } }] };
  });

  /** Completes one turn and returns the next request as a store would return it. */
  async function turn(request: ModelRequest): Promise<ModelRequest> {
    const { reply } = await completed(provider, request);
    const next = afterReply(request, reply, provider);
    return { ...next, transcript: JSON.parse(JSON.stringify(next.transcript)) as readonly TranscriptEntry[] };
  }

  function thinkingSent(): readonly unknown[] {
    const body = server.requests.at(-1)?.body as { readonly messages: readonly { readonly content: readonly JsonObject[] }[] };
    return body.messages.flatMap(({ content }) => content).filter((block) => "reasoningContent" in block);
  }

  return { turn, thinkingSent, [Symbol.asyncDispose]: () => server.close() };
}

function withUser(request: ModelRequest, text: string): ModelRequest {
  return { ...request, transcript: [...request.transcript, userEntry(text)] };
}

function ownThinking({ transcript }: ModelRequest): readonly JsonObject[] {
  const payloads = transcript.flatMap((entry) => (entry.type === "assistant" ? [entry.vendor?.payload as JsonObject] : []));
  return payloads.flatMap(({ content }) => content as readonly JsonObject[]).filter((block) => "reasoningContent" in block);
}

describe("thinking that was signed on Bedrock", () => {
  it("goes back unchanged while nothing before it changes", async () => {
    await using bundle = await setup();
    const talked = await bundle.turn(await bundle.turn(withUser(requestOf([]), "One.")));
    await bundle.turn(withUser(talked, "Two."));
    expect(ownThinking(talked)).toHaveLength(2);
    expect(bundle.thinkingSent()).toEqual(ownThinking(talked));
  });

  it.each<[string, (request: ModelRequest) => ModelRequest]>([
    ["the first messages are pruned", (request) => ({ ...request, transcript: request.transcript.slice(3) })],
    ["a summary stands in front", (request) => ({ ...request, transcript: [userEntry("Summary."), ...request.transcript] })],
    ["the system prompt is different", (request) => ({ ...request, system: "Another." })],
    ["a tool is added", (request) => ({ ...request, tools: [...request.tools, toolNamed("third_tool")] })],
  ])("is left out after the change, and later thoughts go back again, if %s", async (_, change) => {
    await using bundle = await setup();
    const talked = await bundle.turn(await bundle.turn(withUser(requestOf([]), "One.")));
    const changed = await bundle.turn(withUser(change(talked), "Two."));
    expect(bundle.thinkingSent()).toEqual([]);
    await bundle.turn(changed);
    expect(bundle.thinkingSent()).toEqual(ownThinking(changed).slice(-1));
  });
});
