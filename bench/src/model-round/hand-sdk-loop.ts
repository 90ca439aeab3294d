import OpenAI from "openai";
import type {
  ChatCompletionMessageFunctionToolCall,
  ChatCompletionMessageParam,
  ChatCompletionTool,
} from "openai/resources/chat/completions";
import { checkArguments, type JsonObject } from "@toolbus/contracts";
import { act } from "../embedded/noop-tools.ts";
import { openCheckpoints } from "../run-loop/checkpoint.ts";
import { SYSTEM_PROMPT, taskOf } from "../run-loop/loop.ts";
import { API_KEY, checkAnswer, look, MODEL, openaiUrl, type RoundContender } from "./round.ts";

/**
 * A loop as a careful engineer writes it with OpenAI's own client. Answers are not streamed. Each round has one checkpoint before its tools are
 * called.
 */
export const handSdkLoop: RoundContender = {
  async open(place) {
    const client = new OpenAI({ apiKey: API_KEY, baseURL: openaiUrl(place), maxRetries: 0 });
    const checkpoints = await openCheckpoints(place.redisUrl, place.namespace);
    let started = 0;
    return {
      async run(rounds) {
        const id = `run-${++started}`;
        const task: ChatCompletionMessageParam = { role: "user", content: taskOf(rounds) };
        const messages: ChatCompletionMessageParam[] = [{ role: "system", content: SYSTEM_PROMPT }, task];
        let news: ChatCompletionMessageParam[] = [task];
        let version = 0;
        for (;;) {
          const { choices } = await client.chat.completions.create({ model: MODEL, messages, tools: TOOLS });
          const message = choices[0]?.message;
          if (!message) throw new Error("the model answered without a choice");
          const calls = (message.tool_calls ?? []).filter((call) => call.type === "function");
          messages.push(message);
          version = await checkpoints.keep(id, version, [...news, message], {
            type: calls.length > 0 ? "turn" : "end",
            round: version + 1,
          });
          if (calls.length === 0) return checkAnswer(message.content, rounds);
          news = calls.map(resultOf);
          messages.push(...news);
        }
      },
      async stop() {
        checkpoints.stop();
      },
    };
  },
};

const TOOLS: ChatCompletionTool[] = [
  { type: "function", function: { name: look.name, description: look.description, parameters: { ...look.parameters } } },
];

function resultOf({ id, function: { arguments: text } }: ChatCompletionMessageFunctionToolCall): ChatCompletionMessageParam {
  const args: JsonObject = JSON.parse(text);
  if (checkArguments(look, args).length > 0) throw new Error("a call of the benchmark has wrong arguments");
  return { role: "tool", tool_call_id: id, content: JSON.stringify(act()) };
}
