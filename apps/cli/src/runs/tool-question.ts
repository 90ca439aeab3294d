import type { JsonObject, RunEvent } from "@toolbus/contracts";
import type { Client } from "../http/client.ts";
import type { Keyboard } from "../terminal/keyboard.ts";
import { fieldLines, fieldsOf, valueOf } from "./form-answer.ts";

export type ToolAsked = Extract<RunEvent, { type: "question.asked" }>;

/** Asks the person a question of a tool: first whether to answer at all, and then each field. Returns null if the person declines. */
export async function askForm(
  { form, message: _ }: Pick<ToolAsked, "form" | "message">,
  { keyboard, line, signal }: { readonly keyboard: Keyboard; readonly line: (text: string) => void; readonly signal: AbortSignal },
): Promise<JsonObject | null> {
  const answer = await keyboard.ask("answer it? [y/n] > ", signal);
  if (answer === null || !/^y(?:es)?$/i.test(answer.trim())) return null;
  const content: [string, ReturnType<typeof valueOf>][] = [];
  for (const field of fieldsOf(form)) {
    fieldLines(field).forEach(line);
    const typed = await keyboard.ask("> ", signal);
    if (typed !== null && typed.trim() !== "") content.push([field.name, valueOf(field, typed)]);
  }
  return Object.fromEntries(content);
}

/** Sends the answer to a question of a tool. Without content, it declines. */
export async function sendAnswer(
  gateway: Client,
  { runId, callId, questionId }: { readonly runId: string; readonly callId: string; readonly questionId: string },
  content: JsonObject | null,
  headers: Readonly<Record<string, string>> = {},
): Promise<unknown> {
  const body = { callId, questionId, ...(content === null ? { action: "decline" } : { action: "accept", content }) };
  return gateway.post(`/v1/runs/${runId}/question-answers`, body, headers);
}
