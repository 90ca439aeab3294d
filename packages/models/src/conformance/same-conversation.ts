import { type Json, isJsonObject, type TranscriptEntry } from "@toolbus/contracts";
import type { Asked } from "@toolbus/model-servers";
import { expect } from "vitest";

/** One part of a conversation. */
type Said =
  | { readonly kind: "text"; readonly role: "user" | "assistant"; readonly text: string }
  /** `turn` and `at` identify the call, because each adapter chooses its own ids. */
  | { readonly kind: "call"; readonly turn: number; readonly at: number; readonly arguments: Json | undefined }
  | { readonly kind: "result"; readonly turn: number; readonly at: number; readonly content: Json; readonly isError: boolean };

/**
 * Proves that the vendor received this conversation in order. The received conversation must contain the same calls with the same arguments and
 * results, and every text that is not blank. An adapter may join texts of one speaker and add a text if the vendor requires one.
 */
export function expectSameConversation(messages: Asked["messages"], transcript: readonly TranscriptEntry[], marksFailures: boolean): void {
  const got = messages.length === 0 ? [] : saidTo(messages);
  const meant = meantBy(transcript);
  expect(got.filter(isAct).map((act) => comparable(act, marksFailures))).toEqual(
    meant.filter(isAct).map((act) => comparable(act, marksFailures)),
  );
  for (const role of ["user", "assistant"] as const) expectInOrder(textsOf(got, role), textsOf(meant, role));
}

function saidTo(messages: Asked["messages"]): readonly Said[] {
  let turn = -1;
  let ids: readonly string[] = [];
  return messages.flatMap((message): readonly Said[] => {
    switch (message.role) {
      case "user":
        return [{ kind: "text", role: "user", text: message.text }];
      case "tool":
        return [{ kind: "result", turn, at: ids.indexOf(message.id), content: valueOf(message.content), isError: message.isError }];
      case "assistant": {
        const before = message.text === "" ? [] : [{ kind: "text", role: "assistant", text: message.text } as const];
        if (message.calls.length === 0) return before;
        turn += 1;
        ids = message.calls.map(({ id }) => id);
        return [...before, ...message.calls.map((call, at) => ({ kind: "call", turn, at, arguments: call.arguments }) as const)];
      }
      default:
        return message satisfies never;
    }
  });
}

function meantBy(transcript: readonly TranscriptEntry[]): readonly Said[] {
  let turn = -1;
  let ids: readonly string[] = [];
  return transcript.flatMap((entry): readonly Said[] => {
    switch (entry.type) {
      case "user":
        return textOf("user", entry.text);
      case "result":
        return [
          { kind: "result", turn, at: ids.indexOf(entry.id), content: valueOf(entry.content.toWellFormed()), isError: entry.isError },
        ];
      case "assistant": {
        if (entry.calls.length > 0) turn += 1;
        ids = entry.calls.map(({ id }) => id);
        const calls = entry.calls.map((call, at) => ({ kind: "call", turn, at, arguments: objectOf(call.arguments) }) as const);
        return [...textOf("assistant", entry.text), ...calls];
      }
      default:
        return entry satisfies never;
    }
  });
}

function textOf(role: "user" | "assistant", text: string): readonly Said[] {
  return text.trim() === "" ? [] : [{ kind: "text", role, text: text.toWellFormed() }];
}

function isAct(said: Said): said is Exclude<Said, { kind: "text" }> {
  return said.kind !== "text";
}

/**
 * Returns the call or result in a comparable form. Adapters send arguments that are not a JSON object in the vendor's form, and a blank result as a
 * non-blank one.
 */
function comparable(act: Exclude<Said, { kind: "text" }>, marksFailures: boolean): object {
  if (act.kind === "call")
    return isJsonObject(act.arguments) && !("_unreadable" in act.arguments) ? act : { ...act, arguments: "unreadable" };
  const content = typeof act.content === "string" && /^(\s*|\(no output\))$/.test(act.content) ? "nothing" : act.content;
  return { ...act, content, isError: marksFailures && act.isError };
}

function objectOf(text: string): Json | undefined {
  if (text.trim() === "") return {};
  const value = valueOf(text);
  return isJsonObject(value) ? value : undefined;
}

function valueOf(text: string): Json {
  try {
    const value: Json = JSON.parse(text);
    return isJsonObject(value) ? value : text;
  } catch {
    return text;
  }
}

function textsOf(said: readonly Said[], role: "user" | "assistant"): readonly string[] {
  return said.flatMap((one) => (one.kind === "text" && one.role === role ? [one.text] : []));
}

function expectInOrder(got: readonly string[], meant: readonly string[]): void {
  const all = got.join("\n");
  let from = 0;
  for (const text of meant) {
    const at = all.indexOf(text, from);
    expect(at, `${JSON.stringify(text)} in ${JSON.stringify(all.slice(from))}`).toBeGreaterThanOrEqual(0);
    from = at + text.length;
  }
}
