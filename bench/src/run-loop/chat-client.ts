import type { ToolSpec } from "@toolbus/models";

/** A message in OpenAI's chat form. */
export type ChatMessage =
  | { readonly role: "system" | "user"; readonly content: string }
  | { readonly role: "assistant"; readonly content: string | null; readonly tool_calls?: readonly ChatCall[] }
  | { readonly role: "tool"; readonly tool_call_id: string; readonly content: string };

export interface ChatCall {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
}

export interface ChatReply {
  readonly model: string;
  readonly message: { readonly role: "assistant"; readonly content: string | null; readonly tool_calls?: readonly ChatCall[] };
  readonly usage: { readonly prompt_tokens: number; readonly completion_tokens: number };
}

/** Asks a model with `fetch` only, for both loops. Rejects if the answer is invalid. */
export async function chat(
  url: string,
  messages: readonly ChatMessage[],
  tools: readonly ToolSpec[],
  signal: AbortSignal,
): Promise<ChatReply> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "stub-1", messages, tools: tools.map(functionOf) }),
    signal,
  });
  if (!response.ok) throw new Error(`the model answered ${response.status}`);
  const { model, choices, usage } = (await response.json()) as Pick<ChatReply, "model" | "usage"> & {
    readonly choices: readonly Pick<ChatReply, "message">[];
  };
  const [choice] = choices;
  if (!choice) throw new Error("the model answered without a choice");
  return { model, message: choice.message, usage };
}

function functionOf({ name, description, parameters }: ToolSpec): object {
  return { type: "function", function: { name, description, parameters } };
}
