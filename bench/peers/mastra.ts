import { createOpenAI } from "@ai-sdk/openai";
import { Agent } from "@mastra/core/agent";
import { noopLogger } from "@mastra/core/logger";
import { createTool } from "@mastra/core/tools";
import { act } from "../src/embedded/noop-tools.ts";
import { API_KEY, checkAnswer, look, MODEL, openaiUrl, type RoundContender } from "../src/model-round/round.ts";
import { SYSTEM_PROMPT, taskOf } from "../src/run-loop/loop.ts";
import { lookArguments } from "./zod-look.ts";

/** Mastra's agent without memory or storage. */
export const contender: RoundContender = {
  async open(place) {
    const looking = createTool({ id: look.name, description: look.description, inputSchema: lookArguments, execute: async () => act() });
    const agent = new Agent({
      id: "bench",
      name: "bench",
      instructions: SYSTEM_PROMPT,
      model: createOpenAI({ apiKey: API_KEY, baseURL: openaiUrl(place) }).chat(MODEL),
      tools: { [look.name]: looking },
      maxRetries: 0,
    });
    agent.__setLogger(noopLogger);
    return {
      async run(rounds) {
        const { text } = await agent.generate(taskOf(rounds), { maxSteps: rounds + 2 });
        checkAnswer(text, rounds);
      },
      stop: async () => undefined,
    };
  },
};
