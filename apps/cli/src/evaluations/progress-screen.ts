import type { Progress } from "@toolbus/evals";
import { spanOf } from "../terminal/duration.ts";
import { cut, terminalWidth } from "../terminal/lines.ts";
import type { Sink } from "../terminal/output.ts";

/** Shows how far an evaluation is: a bar at a terminal, and elsewhere a line every few seconds. */
export interface ProgressScreen {
  update(progress: Progress): void;
  /** Removes the bar, so that the result can be written. */
  end(): void;
}

export interface ProgressScreenOptions {
  readonly sink: Sink;
  readonly quiet: boolean;
  readonly now: () => number;
}

const BAR_MS = 100;
const LINE_MS = 5000;

export function progressScreen({ sink, quiet, now }: ProgressScreenOptions): ProgressScreen {
  const begun = now();
  const moving = sink.isTTY === true;
  let shownAt = moving ? -Infinity : begun;
  let drawn = false;
  return {
    update(progress) {
      const at = now();
      const isDue = at - shownAt >= (moving ? BAR_MS : LINE_MS) || (moving && progress.done === progress.total);
      if (quiet || !isDue) return;
      shownAt = at;
      drawn = moving;
      const line = progressLine(progress, at - begun);
      sink.write(moving ? `\r\u001b[K${cut(`${bar(progress)} ${line}`, terminalWidth(sink) - 1)}` : `${line}\n`);
    },
    end() {
      if (drawn) sink.write("\r\u001b[K");
      drawn = false;
    },
  };
}

/** Returns the progress in words, with the time that the rest will probably take. `elapsedMs` is the time since this process began. */
export function progressLine({ total, done, known, failed, errors }: Progress, elapsedMs: number): string {
  const here = done - known;
  const left = total - done;
  const eta = here > 0 && left > 0 ? `, about ${spanOf(Math.max(1000, (elapsedMs / here) * left))} left` : "";
  const bad = [failed > 0 ? `${failed} failed` : "", errors > 0 ? `${errors} in error` : ""].filter((part) => part !== "").join(", ");
  return `${done} of ${total} trials${bad === "" ? "" : `, ${bad}`}${eta}`;
}

const BAR = 24;

function bar({ total, done }: Progress): string {
  const full = total === 0 ? BAR : Math.floor((done / total) * BAR);
  return `[${"#".repeat(full)}${".".repeat(BAR - full)}]`;
}
