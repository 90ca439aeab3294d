import { type Brain, type ModelServer, type Served, startModelServer } from "@toolbus/model-servers";
import { connectModel, DEFAULT_BOUNDS, type ModelProvider, noModelSettings } from "@toolbus/models";

/** A server with a vendor's wire protocol, whose answers a test writes, and the provider that talks to it over HTTP. */
export interface JudgingServer extends AsyncDisposable {
  readonly server: ModelServer;
  readonly provider: ModelProvider;
}

/** Starts a server whose model answers a prompt with the text that the function returns. `n` is the number of the request, from 0. */
export async function judgingServer(
  answer: (prompt: string, n: number) => string,
  vendor: Exclude<Served, "bedrock"> = "anthropic",
): Promise<JudgingServer> {
  let n = 0;
  const brain: Brain = ({ messages }) => {
    const [message] = messages;
    return { text: answer(message?.role === "user" ? message.text : "", n++) };
  };
  const server = await startModelServer(vendor, { brain });
  const keys = { anthropic: server.key, openai: server.key, openrouter: server.key, compatible: server.key };
  const address = vendor === "ollama" ? { ollamaHost: new URL(server.url).origin } : { baseUrl: server.url };
  const provider = await connectModel({
    ...noModelSettings,
    bounds: DEFAULT_BOUNDS,
    provider: vendor,
    model: server.model,
    keys,
    ...address,
  });
  return { server, provider, [Symbol.asyncDispose]: () => server.close() };
}

/** Returns the JSON of a verdict, as a judge must write it. */
export const verdict = (answer: "yes" | "no", reason = "It does."): string => JSON.stringify({ verdict: answer, reason });
