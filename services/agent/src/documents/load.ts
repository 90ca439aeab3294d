import {
  type Call,
  type ConversationState,
  describeProblems,
  keys,
  type Parsed,
  parseCall,
  parseConversationState,
  parseRun,
  type Run,
} from "@toolbus/contracts";
import type { StateStore, StoredDocument } from "@toolbus/state";
import type { Snapshot } from "../transitions/snapshot.ts";
import { namesIn, namesThose } from "./named-documents.ts";
import type { Read } from "../transitions/rules.ts";

/**
 * Reads a run, its conversation, the calls of its round and the run that waits behind it. Returns null if the run does not exist. The names of these
 * documents seldom change between two reads of the run. So one request asks for all documents by the names of the last read. If the run now names
 * other documents, everything is read again.
 */
export async function loadSnapshot(state: StateStore, runId: string): Promise<Snapshot | null> {
  const names = namesIn(state);
  for (;;) {
    const asked = names.of(runId);
    const wanted = [keys.run(runId), ...(asked ? [keys.conversation(asked.conversationId), ...asked.callIds.map(keys.call)] : [])];
    const reply = await state.read(wanted);
    const run = parsed(reply.documents[0], parseRun, keys.run(runId));
    if (!run) return null;
    if (!asked || !namesThose(run.value, asked)) {
      names.keep(run.value);
      continue;
    }
    const conversation = parsed(reply.documents[1], parseConversationState, keys.conversation(asked.conversationId));
    if (!conversation) return null;
    const rows: Read<Call>[] = [];
    reply.documents.slice(2).forEach((document, index) => {
      const row = parsed(document, parseCall, wanted[index + 2] ?? "");
      if (row) rows.push(row);
    });
    return { now: reply.now, run, conversation, calls: rows, next: await nextRun(state, conversation.value) };
  }
}

/** Returns the first run that waits in a conversation, else null. */
export async function nextRun(state: StateStore, conversation: ConversationState): Promise<Read<Run> | null> {
  const [next] = conversation.queue;
  if (!next) return null;
  const reply = await state.read([keys.run(next.runId)]);
  return parsed(reply.documents[0], parseRun, keys.run(next.runId));
}

/**
 * Parses a stored document as its type. Throws if the document breaks its schema. The cause is then a fault in our code, or the store belongs to
 * another system.
 */
export function parsed<T>(document: StoredDocument | null | undefined, parse: (value: unknown) => Parsed<T>, key: string): Read<T> | null {
  if (!document) return null;
  const result = parse(document.value);
  if (!result.ok) throw new Error(`The stored document ${key} breaks its schema: ${describeProblems(result.problems)}.`);
  return { version: document.version, value: result.value };
}
