import { DBOS } from "@dbos-inc/dbos-sdk";
import OpenAI from "openai";
import type { ChatCompletionMessageParam, ChatCompletionTool } from "openai/resources/chat/completions";
import { checkArguments } from "@toolbus/contracts";
import { act } from "../src/embedded/noop-tools.ts";
import { API_KEY, checkAnswer, look, MODEL, openaiUrl, type RoundContender } from "../src/model-round/round.ts";
import { SYSTEM_PROMPT, taskOf } from "../src/run-loop/loop.ts";
import { dropSchema, schemaOf } from "./postgres.ts";

/** A hand-written loop over OpenAI's client, as a DBOS workflow. DBOS stores each model call and each tool call as a step in PostgreSQL. */
export const contender: RoundContender = {
  async open(place) {
    const client = new OpenAI({ apiKey: API_KEY, baseURL: openaiUrl(place), maxRetries: 0 });
    DBOS.setConfig({
      name: "bench",
      systemDatabaseUrl: place.postgresUrl,
      systemDatabaseSchemaName: schemaOf(place.namespace),
      // There are more connections than runs in flight, so that no run waits for one.
      systemDatabasePoolSize: 40,
      logLevel: "error",
      enableOTLP: false,
    });
    const workflow = DBOS.registerWorkflow((rounds: number) => loop(client, rounds), { name: "rounds" });
    await DBOS.launch();
    return {
      run: async (rounds) => checkAnswer(await workflow(rounds), rounds),
      stop: () => DBOS.shutdown(),
    };
  },
  remove: ({ postgresUrl, namespace }) => dropSchema(postgresUrl, schemaOf(namespace)),
};

const TOOLS: ChatCompletionTool[] = [
  { type: "function", function: { name: look.name, description: look.description, parameters: { ...look.parameters } } },
];

async function loop(client: OpenAI, rounds: number): Promise<string | null> {
  const messages: ChatCompletionMessageParam[] = [
    { role: "system", content: SYSTEM_PROMPT },
    { role: "user", content: taskOf(rounds) },
  ];
  for (;;) {
    const ask = async () => (await client.chat.completions.create({ model: MODEL, messages, tools: TOOLS })).choices[0]?.message;
    const message = await DBOS.runStep(ask, { name: "model" });
    if (!message) throw new Error("the model answered without a choice");
    messages.push(message);
    const calls = (message.tool_calls ?? []).filter((call) => call.type === "function");
    if (calls.length === 0) return message.content;
    for (const { id, function: made } of calls) {
      const content = await DBOS.runStep(async () => called(made.arguments), { name: look.name });
      messages.push({ role: "tool", tool_call_id: id, content });
    }
  }
}

function called(text: string): string {
  if (checkArguments(look, JSON.parse(text)).length > 0) throw new Error("a call of the benchmark has wrong arguments");
  return JSON.stringify(act());
}
