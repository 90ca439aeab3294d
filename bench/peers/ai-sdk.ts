import { createOpenAI } from "@ai-sdk/openai";
import { generateText, stepCountIs, streamText, tool } from "ai";
import { act } from "../src/embedded/noop-tools.ts";
import { API_KEY, checkAnswer, look, MODEL, openaiUrl, type RoundContender, type RoundPlace } from "../src/model-round/round.ts";
import { SYSTEM_PROMPT, taskOf } from "../src/run-loop/loop.ts";
import { lookArguments } from "./zod-look.ts";

/** The AI SDK's loop over tool calls, without persistence. */
export const generated: RoundContender = {
  async open(place) {
    const options = optionsOf(place);
    return {
      run: async (rounds) => checkAnswer((await generateText({ ...options, ...taskFor(rounds) })).text, rounds),
      stop: async () => undefined,
    };
  },
};

/** The same loop. The benchmark reads its text as a stream. */
export const streamed: RoundContender = {
  async open(place) {
    const options = optionsOf(place);
    return {
      async run(rounds) {
        let text = "";
        let failure: unknown = null;
        const { textStream } = streamText({ ...options, ...taskFor(rounds), onError: ({ error }) => void (failure = error) });
        for await (const piece of textStream) text += piece;
        if (failure instanceof Error) throw failure;
        checkAnswer(text, rounds);
      },
      stop: async () => undefined,
    };
  },
};

function optionsOf(place: RoundPlace) {
  const looking = tool({ description: look.description, inputSchema: lookArguments, execute: () => act() });
  return {
    model: createOpenAI({ apiKey: API_KEY, baseURL: openaiUrl(place) }).chat(MODEL),
    instructions: SYSTEM_PROMPT,
    tools: { [look.name]: looking },
    maxRetries: 0,
  };
}

function taskFor(rounds: number) {
  return { prompt: taskOf(rounds), stopWhen: stepCountIs(rounds + 2) };
}
