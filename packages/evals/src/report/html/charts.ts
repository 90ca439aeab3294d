import { counted } from "@toolbus/contracts";
import type { Interval } from "../../statistics/interval.ts";
import { percent, percentRange } from "../in-words.ts";
import { markup, type Markup } from "./markup.ts";

/** One row of a chart of shares. */
export interface ShareRow {
  readonly name: string;
  readonly mean: number;
  readonly interval: Interval | null;
  readonly scenarios: number;
}

const WIDTH = 460;
const LEFT = 130;
const RIGHT = 60;
const ROW = 24;

/** Draws shares from 0 to 1 as points with their intervals. The figures also stand beside the points, so nobody has to read them from the axis. */
export function shareChart(title: string, rows: readonly ShareRow[]): Markup {
  const height = rows.length * ROW + 26;
  const x = (share: number): string => (LEFT + share * (WIDTH - LEFT - RIGHT)).toFixed(1);
  const words = rows.map(({ name, mean, interval }) => `${name} ${percent(mean)}, ${percentRange(interval)}`).join(". ");
  return markup`<svg viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${title}. ${words}.">
    ${[0, 0.5, 1].map(
      (share) =>
        markup`<line class="axis" x1="${x(share)}" y1="4" x2="${x(share)}" y2="${rows.length * ROW + 4}" />
          <text class="soft" x="${x(share)}" y="${height - 6}" text-anchor="middle">${share * 100} %</text>`,
    )}
    ${rows.map(({ name, mean, interval }, n) => {
      const y = n * ROW + 16;
      const reach =
        interval === null ? null : markup`<line class="reach" x1="${x(interval.low)}" y1="${y}" x2="${x(interval.high)}" y2="${y}" />`;
      return markup`<text x="${LEFT - 8}" y="${y + 4}" text-anchor="end">${short(name)}</text>${reach}
        <circle class="dot" cx="${x(mean)}" cy="${y}" r="5" /><text x="${WIDTH - RIGHT + 8}" y="${y + 4}">${percent(mean)}</text>`;
    })}
  </svg>`;
}

/** One bar of a chart of trials. A value that nobody reported is null and has no bar. */
export interface TrialBar {
  readonly value: number | null;
  readonly passed: boolean;
}

const BARS_HEIGHT = 120;

/** Draws one bar for each trial, in the order of the trials. A trial that did not pass has a hollow bar. */
export function trialChart(title: string, bars: readonly TrialBar[], inWords: (value: number) => string): Markup {
  const values = bars.flatMap(({ value }) => (value === null ? [] : [value]));
  if (values.length === 0) return markup`<p class="soft">No trial reported this figure.</p>`;
  const most = Math.max(...values);
  const step = (WIDTH - 8) / bars.length;
  const unknown = bars.length - values.length;
  const words = `${title}. ${counted(values.length, "trial")}, at most ${inWords(most)}, together ${inWords(values.reduce((sum, value) => sum + value, 0))}.`;
  return markup`<svg viewBox="0 0 ${WIDTH} ${BARS_HEIGHT + 34}" role="img" aria-label="${words}">
    <text class="soft" x="4" y="12">${inWords(most)}</text>
    <line class="axis" x1="4" y1="${BARS_HEIGHT + 18}" x2="${WIDTH - 4}" y2="${BARS_HEIGHT + 18}" />
    ${bars.map(({ value, passed }, n) => {
      if (value === null) return null;
      const height = most === 0 ? 1 : Math.max(1, (value / most) * BARS_HEIGHT);
      const x = (4 + n * step).toFixed(2);
      return markup`<rect
        class="${passed ? "bar" : "bar-bad"}"
        x="${x}"
        y="${(BARS_HEIGHT + 18 - height).toFixed(2)}"
        width="${Math.max(0.5, step * 0.8).toFixed(2)}"
        height="${height.toFixed(2)}"
      />`;
    })}
    <text class="soft" x="4" y="${BARS_HEIGHT + 31}">
      Each bar is a trial. A hollow one did not pass.${unknown === 0 ? "" : ` ${counted(unknown, "trial")} reported no figure.`}
    </text>
  </svg>`;
}

function short(name: string): string {
  return name.length <= 18 ? name : `${name.slice(0, 17)}…`;
}
