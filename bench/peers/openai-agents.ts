import { Agent, OpenAIChatCompletionsModel, Runner, setTracingDisabled, tool } from "@openai/agents";
import OpenAI from "openai";
import { checkArguments, type JsonObject } from "@toolbus/contracts";
import { act } from "../src/embedded/noop-tools.ts";
import { API_KEY, checkAnswer, look, MODEL, openaiUrl, type RoundContender } from "../src/model-round/round.ts";
import { SYSTEM_PROMPT, taskOf } from "../src/run-loop/loop.ts";

/** The runner of the OpenAI Agents SDK over chat completions, without persistence or tracing. */
export const contender: RoundContender = {
  async open(place) {
    setTracingDisabled(true);
    const client = new OpenAI({ apiKey: API_KEY, baseURL: openaiUrl(place), maxRetries: 0 });
    const looking = tool({
      name: look.name,
      description: look.description,
      // The strict form of a schema has no optional members.
      strict: false,
      parameters: look.parameters as never,
      execute(args) {
        if (checkArguments(look, args as JsonObject).length > 0) throw new Error("a call of the benchmark has wrong arguments");
        return JSON.stringify(act());
      },
    });
    const model = new OpenAIChatCompletionsModel(client as never, MODEL);
    const agent = new Agent({ name: "bench", instructions: SYSTEM_PROMPT, tools: [looking], model });
    const runner = new Runner({ tracingDisabled: true });
    return {
      async run(rounds) {
        const { finalOutput } = await runner.run(agent, taskOf(rounds), { maxTurns: rounds + 2 });
        checkAnswer(finalOutput, rounds);
      },
      stop: async () => undefined,
    };
  },
};
