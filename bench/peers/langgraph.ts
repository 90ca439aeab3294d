import { tool } from "@langchain/core/tools";
import { type BaseCheckpointSaver, MemorySaver } from "@langchain/langgraph";
import { PostgresSaver } from "@langchain/langgraph-checkpoint-postgres";
import { createReactAgent } from "@langchain/langgraph/prebuilt";
import { ChatOpenAI } from "@langchain/openai";
import { act } from "../src/embedded/noop-tools.ts";
import { API_KEY, checkAnswer, look, MODEL, openaiUrl, type RoundContender, type RoundPlace } from "../src/model-round/round.ts";
import { SYSTEM_PROMPT, taskOf } from "../src/run-loop/loop.ts";
import { dropSchema, schemaOf } from "./postgres.ts";
import { lookArguments } from "./zod-look.ts";

/**
 * LangGraph's agent with its checkpointer for PostgreSQL. Durability has LangGraph's default "async": the next step does not wait for the checkpoint.
 */
export const onPostgres: RoundContender = {
  async open(place) {
    const saver = PostgresSaver.fromConnString(place.postgresUrl, { schema: schemaOf(place.namespace) });
    await saver.setup();
    const { invoke } = agentOf(place, saver);
    return { run: invoke, stop: () => saver.end() };
  },
  remove: ({ postgresUrl, namespace }) => dropSchema(postgresUrl, schemaOf(namespace)),
};

/** The same agent, with checkpoints in memory. Each finished run is removed from memory, because accumulated runs would slow the next runs. */
export const inMemory: RoundContender = {
  async open(place) {
    const saver = new MemorySaver();
    const { invoke } = agentOf(place, saver, (thread) => saver.deleteThread(thread));
    return { run: invoke, stop: async () => undefined };
  },
};

/** The same agent with checkpoints in memory. The benchmark reads its messages as a stream. */
export const streamed: RoundContender = {
  async open(place) {
    const saver = new MemorySaver();
    const { stream } = agentOf(place, saver, (thread) => saver.deleteThread(thread));
    return { run: stream, stop: async () => undefined };
  },
};

type Agent = Readonly<Record<"invoke" | "stream", (rounds: number) => Promise<void>>>;

function agentOf(
  place: RoundPlace,
  checkpointer: BaseCheckpointSaver,
  forget: (thread: string) => Promise<void> = async () => undefined,
): Agent {
  const llm = new ChatOpenAI({ model: MODEL, apiKey: API_KEY, configuration: { baseURL: openaiUrl(place) }, maxRetries: 0 });
  const looking = tool(() => JSON.stringify(act()), { name: look.name, description: look.description, schema: lookArguments });
  const agent = createReactAgent({ llm, tools: [looking], prompt: SYSTEM_PROMPT, checkpointer });
  let started = 0;
  const begin = (rounds: number) => {
    const thread = `run-${++started}`;
    const input = { messages: [{ role: "user", content: taskOf(rounds) }] };
    return { thread, input, options: { configurable: { thread_id: thread }, recursionLimit: 4 * rounds + 10 } };
  };
  return {
    async invoke(rounds) {
      const { thread, input, options } = begin(rounds);
      const { messages } = await agent.invoke(input, options);
      checkAnswer(messages.at(-1)?.content, rounds);
      await forget(thread);
    },
    async stream(rounds) {
      const { thread, input, options } = begin(rounds);
      let text = "";
      for await (const [message] of await agent.stream(input, { ...options, streamMode: "messages" }))
        if (message.type === "ai" && typeof message.content === "string") text += message.content;
      checkAnswer(text, rounds);
      await forget(thread);
    },
  };
}
