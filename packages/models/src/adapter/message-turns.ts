import type { TranscriptEntry, VendorTurn } from "@toolbus/contracts";
import { type IdForm, vendorId } from "./vendor-id.ts";

/** One turn of a transcript for a vendor whose messages alternate between user and assistant. Adjacent entries of the same role form one turn. */
export type MessageTurn = UserTurn | AssistantTurn;

export interface UserTurn {
  readonly role: "user";
  /** The results of all calls of the previous turn. */
  readonly results: readonly TurnResult[];
  /** The texts of the user. None of them is blank. */
  readonly texts: readonly string[];
}

export interface AssistantTurn {
  readonly role: "assistant";
  readonly parts: readonly AssistantPart[];
}

/** One entry of the transcript. */
export interface AssistantPart {
  /** The text. It is empty if the entry has no text or only a blank one. */
  readonly text: string;
  readonly calls: readonly TurnCall[];
  readonly vendor?: VendorTurn;
}

export interface TurnCall {
  /** The id in the vendor's form, which no other call in the transcript has. */
  readonly id: string;
  /** The id in the transcript. */
  readonly transcriptId: string;
  readonly name: string;
  readonly arguments: string;
}

export interface TurnResult {
  /** The id of the call, in the vendor's form. */
  readonly id: string;
  /** The content. It is never blank, because vendors refuse a blank result, especially for a failure. */
  readonly content: string;
  readonly isError: boolean;
}

type AssistantEntry = Extract<TranscriptEntry, { type: "assistant" }>;

/** The user message before an assistant turn that would otherwise be the first. Vendors require a user message at the beginning. */
export const OPENING = "(The conversation begins in the middle; what came before is left out.)";
/**
 * The user message after an assistant turn that would otherwise be the last. Vendors refuse such a request, or treat the last turn as the beginning
 * of the reply.
 */
export const GO_ON = "Continue.";
const NO_OUTPUT = "(no output)";

/**
 * Returns the transcript in turns that alternate and begin with the user's. An empty transcript becomes a user turn with the opening. Blank texts and
 * turns without content are omitted. Ids have the vendor's form, and texts are well-formed UTF-16. The transcript must be paired.
 */
export function messageTurns(transcript: readonly TranscriptEntry[], form: IdForm): readonly MessageTurn[] {
  const turns: OpenTurn[] = [];
  const taken = new Set<string>();
  let open = new Map<string, string>();

  for (const entry of transcript) {
    switch (entry.type) {
      case "user":
        if (entry.text.trim() !== "") lastUser(turns).texts.push(entry.text.toWellFormed());
        break;
      case "result":
        lastUser(turns).results.push({ id: open.get(entry.id) ?? entry.id, content: contentOf(entry.content), isError: entry.isError });
        break;
      case "assistant": {
        const calls = entry.calls.map((call) => ({
          id: freeId(call.id, form, taken),
          transcriptId: call.id,
          name: call.name,
          arguments: call.arguments.toWellFormed(),
        }));
        open = new Map(calls.map((call) => [call.transcriptId, call.id]));
        if (hasContent(entry)) lastAssistant(turns).parts.push(partOf(entry, calls));
        break;
      }
      default:
        entry satisfies never;
    }
  }
  if (turns[0]?.role !== "user") turns.unshift({ role: "user", results: [], texts: [OPENING] });
  return turns;
}

type OpenTurn = OpenUser | OpenAssistant;

interface OpenUser extends UserTurn {
  readonly results: TurnResult[];
  readonly texts: string[];
}

interface OpenAssistant extends AssistantTurn {
  readonly parts: AssistantPart[];
}

function lastUser(turns: OpenTurn[]): OpenUser {
  const last = turns.at(-1);
  if (last?.role === "user") return last;
  const made: OpenUser = { role: "user", results: [], texts: [] };
  turns.push(made);
  return made;
}

function lastAssistant(turns: OpenTurn[]): OpenAssistant {
  const last = turns.at(-1);
  if (last?.role === "assistant") return last;
  const made: OpenAssistant = { role: "assistant", parts: [] };
  turns.push(made);
  return made;
}

/**
 * Returns a free id in the vendor's form. Ids may repeat in a transcript, because some vendors restart their numbers for each reply, but others
 * accept each id only once.
 */
function freeId(id: string, form: IdForm, taken: Set<string>): string {
  let free = vendorId(id, form);
  for (let n = 2; taken.has(free); n++) free = vendorId(`${id}\u0000${n}`, form);
  taken.add(free);
  return free;
}

/** Returns false for a turn that consists only of thinking, because not even the model that wrote such a turn accepts it in a request. */
function hasContent(entry: AssistantEntry): boolean {
  return entry.text.trim() !== "" || entry.calls.length > 0;
}

function partOf({ text, vendor }: AssistantEntry, calls: readonly TurnCall[]): AssistantPart {
  const spoken = text.trim() === "" ? "" : text.toWellFormed();
  return vendor === undefined ? { text: spoken, calls } : { text: spoken, calls, vendor };
}

function contentOf(content: string): string {
  return content.trim() === "" ? NO_OUTPUT : content.toWellFormed();
}
