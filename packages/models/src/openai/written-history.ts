import type { TranscriptEntry } from "@toolbus/contracts";
import { OPENING } from "../adapter/message-turns.ts";
import { type IdForm, vendorId } from "../adapter/vendor-id.ts";

export type AssistantEntry = Extract<TranscriptEntry, { type: "assistant" }>;
export type ResultEntry = Extract<TranscriptEntry, { type: "result" }>;

/** The form of a transcript in one protocol. Each function returns the members for an entry. */
export interface HistoryForm {
  readonly ids: IdForm;
  user(text: string): object;
  /**
   * Returns the turn as the model itself sent it, or null if another model sent it or it differs from the entry. Its calls have the ids of the entry.
   */
  own(entry: AssistantEntry): readonly object[] | null;
  /** Returns the turn built from the neutral form. Its calls have these ids. */
  made(entry: AssistantEntry, ids: readonly string[]): readonly object[];
  result(content: string, id: string): object;
}

/** The joined JSON texts of one entry, and its ids. */
interface Written {
  readonly json: string;
  readonly ids: readonly string[];
}

/**
 * Writes transcripts as the members of a JSON array, which is never empty. The function writes each entry once and caches the text, so that a turn
 * costs only the new entries. Results directly follow their turn, in the order of its calls. Every call has a different id. The transcript must be
 * paired.
 */
export function writtenHistory(form: HistoryForm): (transcript: readonly TranscriptEntry[]) => readonly string[] {
  const kept = new WeakMap<TranscriptEntry, Written>();

  return (transcript) => {
    const parts: string[] = [];
    const taken = new Set<string>();
    for (let at = 0; at < transcript.length; at++) {
      const entry = transcript[at];
      if (entry?.type === "user") parts.push(written(entry, [], () => [form.user(entry.text.toWellFormed())]).json);
      if (entry?.type !== "assistant") continue;
      const turn = turnOf(entry, taken);
      if (turn.json !== "") parts.push(turn.json);
      for (const [n, result] of inCallOrder(entry, transcript, at + 1).entries()) {
        const id = turn.ids[n] ?? result.id;
        parts.push(written(result, [id], () => [form.result(result.content.toWellFormed(), id)]).json);
      }
    }
    return parts.length === 0 ? [JSON.stringify(form.user(OPENING))] : parts;
  };

  /**
   * Returns the text of a turn with ids that no earlier turn has. Some vendors restart their ids in each turn, but others accept each id only once.
   */
  function turnOf(entry: AssistantEntry, taken: Set<string>): Written {
    let turn = kept.get(entry);
    if (turn === undefined || turn.ids.some((id) => taken.has(id))) turn = writeTurn(entry, taken);
    for (const id of turn.ids) taken.add(id);
    return turn;
  }

  function writeTurn(entry: AssistantEntry, taken: ReadonlySet<string>): Written {
    const raw = entry.calls.map(({ id }) => id);
    const own = raw.some((id) => taken.has(id)) ? null : form.own(entry);
    if (own !== null) return written(entry, raw, () => own);
    const used = new Set(taken);
    const ids = raw.map((id) => {
      const free = freeId(id, form.ids, used);
      used.add(free);
      return free;
    });
    return written(entry, ids, () => form.made(entry, ids));
  }

  function written(entry: TranscriptEntry, ids: readonly string[], members: () => readonly object[]): Written {
    const known = kept.get(entry);
    if (known !== undefined && known.ids.length === ids.length && known.ids.every((id, n) => id === ids[n])) return known;
    const made = {
      json: members()
        .map((member) => JSON.stringify(member))
        .join(","),
      ids,
    };
    kept.set(entry, made);
    return made;
  }
}

function freeId(id: string, form: IdForm, taken: ReadonlySet<string>): string {
  let free = vendorId(id, form);
  for (let n = 2; taken.has(free); n++) free = vendorId(`${id}\u0000${n}`, form);
  return free;
}

/** Returns the results from index `from` on, in the order of the calls that they answer. */
function inCallOrder({ calls }: AssistantEntry, transcript: readonly TranscriptEntry[], from: number): readonly ResultEntry[] {
  const results: ResultEntry[] = [];
  let inOrder = true;
  for (let at = from; at < transcript.length; at++) {
    const entry = transcript[at];
    if (entry?.type !== "result") break;
    inOrder &&= calls[results.length]?.id === entry.id;
    results.push(entry);
  }
  if (inOrder) return results;
  const place = new Map(calls.map(({ id }, n) => [id, n]));
  return results.toSorted((a, b) => (place.get(a.id) ?? 0) - (place.get(b.id) ?? 0));
}
