import { checkArguments, type JsonObject, publicTool } from "@toolbus/contracts";
import { act, executorOf, noopTools } from "../embedded/noop-tools.ts";
import { drivers } from "../tool-call/drivers.ts";
import { chat, type ChatCall, type ChatMessage } from "./chat-client.ts";
import { openCheckpoints } from "./checkpoint.ts";
import { type Loop, type LoopPlace, SYSTEM_PROMPT, taskOf, type Tools } from "./loop.ts";

const MODEL_TIMEOUT_MS = 120_000;

/**
 * A loop as a careful engineer writes it by hand, with the same model client and the same tools. Each round has one checkpoint before its tools are
 * called. The results of the tools are stored with the next checkpoint.
 */
export async function handLoop({ redisUrl, namespace, modelUrl, tools }: LoopPlace): Promise<Loop> {
  const checkpoints = await openCheckpoints(redisUrl, namespace);
  const look = await toolOf(tools);
  const spec = [publicTool(executorOf(noopTools(), "look").definition)];
  let started = 0;
  return {
    async run(rounds) {
      const id = `run-${++started}`;
      const task: ChatMessage = { role: "user", content: taskOf(rounds) };
      const messages: ChatMessage[] = [{ role: "system", content: SYSTEM_PROMPT }, task];
      let news: ChatMessage[] = [task];
      let version = 0;
      for (;;) {
        const { message } = await chat(modelUrl, messages, spec, AbortSignal.timeout(MODEL_TIMEOUT_MS));
        const calls = message.tool_calls ?? [];
        messages.push(message);
        version = await checkpoints.keep(id, version, [...news, message], { type: calls.length > 0 ? "turn" : "end", round: version + 1 });
        if (calls.length === 0) return checkAnswer(message.content, rounds);
        news = await Promise.all(calls.map((call) => resultOf(call, look.call)));
        messages.push(...news);
      }
    },
    async stop() {
      checkpoints.stop();
      await look.stop();
    },
  };
}

interface Look {
  call(args: JsonObject): Promise<JsonObject>;
  stop(): Promise<void>;
}

async function toolOf(tools: Tools): Promise<Look> {
  if (tools.kind === "there") return (await drivers[tools.raw]()).open(tools.place);
  const { definition } = executorOf(noopTools(), "look");
  return {
    async call(args) {
      if (checkArguments(definition, args).length > 0) throw new Error("a call of the benchmark has wrong arguments");
      return act();
    },
    stop: async () => undefined,
  };
}

async function resultOf({ id, function: { arguments: text } }: ChatCall, call: Look["call"]): Promise<ChatMessage> {
  const args: JsonObject = JSON.parse(text);
  return { role: "tool", tool_call_id: id, content: JSON.stringify(await call(args)) };
}

function checkAnswer(text: string | null, rounds: number): void {
  if (text !== `Looked ${rounds} times.`) throw new Error(`a run by hand ended with ${JSON.stringify(text)}`);
}
