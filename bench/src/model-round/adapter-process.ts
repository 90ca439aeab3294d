// One client of the model, in a separate process.
import { connectModel, type ModelProvider, noModelSettings } from "@toolbus/models";
import { answerQuestions } from "../asked-process.ts";
import { askTurns, type ModelClient } from "./adapter-call.ts";
import { bareChat, sdkChat } from "./chat-clients.ts";
import { bareMessages } from "./messages-client.ts";
import { API_KEY } from "./round.ts";
import { openaiAdapter } from "./toolbus-rounds.ts";

export type ClientName = "OpenAI adapter" | "fetch, chat completions" | "openai SDK" | "Anthropic adapter" | "fetch, messages";

export type AdapterQuestion =
  | { readonly kind: "begin"; readonly name: ClientName; readonly modelUrl: string }
  | { readonly kind: "turns"; readonly count: number }
  /** Asks how much processor time the process has used, in milliseconds. */
  | { readonly kind: "cpu" };

const clients: Readonly<Record<ClientName, (modelUrl: string) => ModelClient | Promise<ModelClient>>> = {
  "OpenAI adapter": async (modelUrl) => clientOf(await openaiAdapter({ modelUrl })),
  "fetch, chat completions": bareChat,
  "openai SDK": sdkChat,
  "Anthropic adapter": async (modelUrl) => clientOf(await anthropicAdapter(modelUrl)),
  "fetch, messages": bareMessages,
};

let client: ModelClient | null = null;

answerQuestions<AdapterQuestion>(
  async (question) => {
    switch (question.kind) {
      case "begin":
        client = await clients[question.name](question.modelUrl);
        return {};
      case "turns":
        if (!client) throw new Error("this process asks no model");
        await askTurns(client, question.count);
        return {};
      case "cpu": {
        const { user, system } = process.cpuUsage();
        return { cpuMs: (user + system) / 1000 };
      }
    }
  },
  async () => undefined,
);

/** Makes a client that calls the adapter as the agent does: each call has its own signal and a listener for the text. */
function clientOf(provider: ModelProvider): ModelClient {
  return {
    async ask(request) {
      let heard = "";
      const { signal } = new AbortController();
      const reply = await provider.complete(request, { signal, onText: (text) => (heard += text), onArguments: () => undefined });
      if (heard !== reply.text) throw new Error("what was heard of a turn is not what it said");
      return reply;
    },
  };
}

function anthropicAdapter(modelUrl: string): Promise<ModelProvider> {
  return connectModel({
    ...noModelSettings,
    provider: "anthropic",
    model: "claude-sonnet-5",
    keys: { ...noModelSettings.keys, anthropic: API_KEY },
    baseUrl: modelUrl,
  });
}
