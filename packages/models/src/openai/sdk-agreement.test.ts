import { startModelServer } from "@toolbus/model-servers";
import OpenAI from "openai";
import { expect, it } from "vitest";
import { openaiModel } from "./openai-model.ts";
import { asking, facts, lookup, outcome, userSays } from "../testing/test-stream.ts";

// The adapter parses the stream itself, so this test compares it with the vendor's own client.
it("reads the same from OpenAI's stream as OpenAI's own client", async () => {
  const server = await startModelServer("openai");
  try {
    const provider = openaiModel({ model: server.model, apiKey: server.key, baseUrl: server.url, facts });
    const request = asking({ transcript: [userSays('lookup {"id":"7"} and lookup {"id":"8"}')], tools: [lookup] });
    const { reply } = await outcome(provider, request);

    const client = new OpenAI({ apiKey: server.key, baseURL: server.url, maxRetries: 0 });
    const body = server.requests[0]?.body as unknown as OpenAI.ChatCompletionCreateParamsStreaming;
    const completion = await client.chat.completions.stream({ ...body, stream: true }).finalChatCompletion();
    const [choice] = completion.choices;
    expect(reply.text).toBe(choice?.message.content ?? "");
    expect(reply.calls).toHaveLength(2);
    expect(reply.calls.map((call) => call.arguments)).toEqual(
      choice?.message.tool_calls?.map((call) => (call.type === "function" ? call.function.arguments : "")),
    );
    expect(reply.usage).toMatchObject({ inputTokens: completion.usage?.prompt_tokens, outputTokens: completion.usage?.completion_tokens });
    expect(reply.model).toBe(completion.model);
  } finally {
    await server.close();
  }
});
