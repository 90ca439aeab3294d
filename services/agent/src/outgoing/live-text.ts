import { type ArgumentsDelta, type Json, type JsonObject, keys, type LiveEvent, type Run, type TextDelta } from "@toolbus/contracts";
import type { ArgumentsText } from "@toolbus/models";
import type { StateStore } from "@toolbus/state";
import { redacted } from "@toolbus/telemetry";
import { type ArgumentMembers, argumentMembers } from "./argument-members.ts";

/**
 * Sends the model's output to viewers as it arrives: text in batches, arguments by members. If a message with output is lost, viewers still see the
 * output in the turn.
 */
export interface LiveText {
  add(text: string): void;
  addArguments(piece: ArgumentsText): void;
  /** Sends the rest of the text, and waits until everything is sent. */
  end(): Promise<void>;
}

// The interval between two batches. Each batch costs a viewer's gateway at least 10 µs, and people notice no difference below this interval.
const BATCH_MS = 30;
const SHOWN_CHARS = 4096;

/**
 * Opens the live output of one step. `begun` is null if the beginning of the step is in the store. Otherwise it resolves when the beginning is there,
 * and until then viewers are shown nothing, because they do not know this epoch of the run. If it resolves with false, the turn or a repeat of the
 * step replaces the output, so nothing is sent.
 */
export function liveText(state: StateStore, run: Run, begun: Promise<boolean> | null = null): LiveText {
  let isBegun = begun === null;
  let offset = 0;
  let pending = "";
  let timer: NodeJS.Timeout | undefined;
  let sending: Promise<void> = Promise.resolve();
  let held: (() => void)[] = [];
  void begun?.then((isStored) => {
    const shown = held;
    held = [];
    isBegun = isStored;
    if (isStored) for (const show of shown) show();
  });
  const readers = new Map<number, ArgumentMembers>();
  return {
    add(text) {
      pending += text;
      timer ??= setTimeout(flush, BATCH_MS);
    },
    addArguments(piece) {
      // The pieces of a fast model are never read, because the turn comes before the beginning of the step is stored.
      if (isBegun) readArguments(piece);
      else held.push(() => readArguments(piece));
    },
    async end() {
      flush();
      held = [];
      await sending;
    },
  };

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    if (pending === "") return;
    const delta: TextDelta = { type: "delta", epoch: run.epoch, round: run.round, offset, after: run.events, text: pending };
    offset += pending.length;
    pending = "";
    send(delta);
  }

  function readArguments({ index, name, text }: ArgumentsText): void {
    const reader = readers.get(index) ?? argumentMembers();
    readers.set(index, reader);
    const members = reader.take(text);
    if (members.length > 0) send(argumentsDelta(run, index, name, Object.fromEntries(members)));
  }

  function send(event: LiveEvent): void {
    if (!isBegun) return void held.push(() => send(event));
    sending = sending.then(() => state.live(keys.live(run.runId), event as unknown as Json)).catch(() => undefined);
  }
}

function argumentsDelta(run: Run, index: number, tool: string, members: JsonObject): ArgumentsDelta {
  const shown = Object.entries(redacted(members)).map(([name, value]): [string, Json] => [name.slice(0, 200), shownValue(value)]);
  const { epoch, round, events: after } = run;
  return { type: "arguments", epoch, round, after, index, tool: tool.slice(0, 128), members: Object.fromEntries(shown) };
}

function shownValue(value: Json): Json {
  const text = JSON.stringify(value);
  return text.length <= SHOWN_CHARS ? value : `${text.slice(0, SHOWN_CHARS)} …`;
}
