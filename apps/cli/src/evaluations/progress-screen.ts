import type { Progress } from "@toolbus/evals";
import { cut, WIDTH } from "../terminal/lines.ts";
import type { Sink } from "../terminal/output.ts";

/** Shows how far an evaluation is: a bar at a terminal, and elsewhere a line every few seconds. */
export interface ProgressScreen {
  update(progress: Progress): void;
  /** Draws the bar again, with the time that is left now. Does nothing without a terminal. */
  tick(): void;
  /** Removes the bar, so that the result can be written. */
  end(): void;
}

export interface ProgressScreenOptions {
  readonly sink: Sink;
  readonly quiet: boolean;
  /** False for a terminal that cannot erase a line, and true by default. */
  readonly erases?: boolean;
  /** The number of trials that run at the same time. */
  readonly parallel: number;
  readonly now: () => number;
}

const BAR_MS = 100;
const LINE_MS = 5000;

export function progressScreen({ sink, quiet, erases = true, parallel, now }: ProgressScreenOptions): ProgressScreen {
  const moving = sink.isTTY === true && erases;
  let last: { readonly progress: Progress; readonly at: number } | null = null;
  // The start of the services is no part of the time that a trial takes.
  let begun = now();
  let shownAt = moving ? -Infinity : begun;
  let shown = "";
  const show = (at: number): void => {
    if (quiet || last === null) return;
    shownAt = at;
    const known = leftMs(last.progress, { elapsedMs: last.at - begun, parallel });
    const left = known === null ? null : known - (at - last.at);
    if (!moving) return void sink.write(`${progressLine(last.progress, left)}\n`);
    const text = barAndLine(last.progress, left, (sink.columns || WIDTH) - 1);
    // The new line is written over the old one, and only the rest is erased. A line that is erased first would flicker.
    if (text !== shown) sink.write(`\r${text}\u001b[K`);
    shown = text;
  };
  return {
    update(progress) {
      const at = now();
      last = { progress, at };
      if (progress.done === progress.known) begun = at;
      const isDue = at - shownAt >= (moving ? BAR_MS : LINE_MS) || (moving && progress.done === progress.total);
      if (isDue) show(at);
    },
    tick() {
      const at = now();
      if (moving && at - shownAt >= BAR_MS) show(at);
    },
    end() {
      if (shown !== "") sink.write("\r\u001b[K");
      shown = "";
      last = null;
    },
  };
}

/**
 * Returns the time that the rest will probably take, in milliseconds. Returns null while as many trials have finished as run at the same time or fewer,
 * because the first ones say little about the others. `elapsedMs` is the time of the trials of this process.
 */
export function leftMs(
  { total, done, known }: Pick<Progress, "total" | "done" | "known">,
  { elapsedMs, parallel }: { readonly elapsedMs: number; readonly parallel: number },
): number | null {
  const here = done - known;
  const left = total - done;
  return here > Math.min(parallel, left) && left > 0 ? (elapsedMs / here) * left : null;
}

/** Returns the progress in words, with the time that is left if it is known. `brief` is for a narrow terminal. */
export function progressLine({ total, done, failed, errors }: Progress, left: number | null, brief = false): string {
  const bad = [failed > 0 ? `, ${failed} failed` : "", errors > 0 ? `, ${errors} in error` : ""].join("");
  const rest = left === null ? "" : `, ${brief ? "" : "about "}${roughly(left)} left`;
  return `${brief ? `${done}/${total}` : `${done} of ${total} trials`}${bad}${rest}`;
}

/** Returns a time to the nearest unit, as an estimate needs it. A time that has run out is shown as one second. */
function roughly(ms: number): string {
  const seconds = Math.max(1, Math.round(ms / 1000));
  if (seconds < 100) return `${seconds} s`;
  return seconds < 6000 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`;
}

const BAR = 24;
const SHORTEST_BAR = 6;

/** Returns the bar and the line. In a narrow terminal the bar becomes shorter and then the words, so that the time that is left is still seen. */
function barAndLine(progress: Progress, left: number | null, width: number): string {
  const { total, done } = progress;
  const long = progressLine(progress, left);
  const room = Math.min(BAR, width - long.length - 3);
  if (room < SHORTEST_BAR) return long.length <= width ? long : cut(progressLine(progress, left, true), width);
  const full = total === 0 ? room : Math.floor((done / total) * room);
  return `[${"#".repeat(full)}${".".repeat(room - full)}] ${long}`;
}
