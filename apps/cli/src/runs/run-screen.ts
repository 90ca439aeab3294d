import { changesInWords, type RunEvent } from "@toolbus/contracts";
import { spanOf, tookOf } from "../terminal/duration.ts";
import { cut, WIDTH } from "../terminal/lines.ts";
import { type Paint, painter, type Sink } from "../terminal/output.ts";
import { safeText } from "../terminal/safe-text.ts";
import { SELF } from "../toolbus/self.ts";
import { fieldLines, fieldsOf } from "./form-answer.ts";
import type { StreamItem } from "./watch-run.ts";
import { absentFor, decisionOf, peopleFor, placeOf } from "./run-lines.ts";

/**
 * The view of a run while the run happens. It has one line per event, the text as it arrives, and a live line at the bottom with the age of running
 * calls. Without a terminal there is no live line.
 */
export interface RunScreen {
  item(item: StreamItem): void;
  /** Writes a line from another source between the lines of the run. */
  line(text: string): void;
  /** Draws the live line again, with the ages at this time. */
  tick(now: number): void;
  /** Clears the live line, so that the caller can write something else. `tick` draws it again. */
  clear(): void;
}

export interface RunScreenOptions {
  /** The sink for events. */
  readonly progress: Sink;
  /** The sink for text as it arrives. Null if only the whole answer is wanted. */
  readonly text: Sink | null;
  readonly colour: boolean;
  readonly quiet: boolean;
  /** Whether the line of a failed call shows the reason, truncated to the line. True by default. */
  readonly reasons?: boolean;
}

interface UnderWay {
  readonly tool: string;
  readonly since: number;
  readonly doing: string;
}

/** What a run with no call under way waits for, and since when. Null if the time is not known yet, until the screen is drawn for the first time. */
interface Waiting {
  readonly what: "an agent" | "the model";
  readonly since: number | null;
}

export function runScreen({ progress, text, colour, quiet, reasons = true }: RunScreenOptions): RunScreen {
  const moving = progress.isTTY === true && !quiet;
  const paint = painter(colour && progress.isTTY === true);
  const calls = new Map<string, UnderWay>();
  let waiting: Waiting | null = { what: "an agent", since: null };
  let drawn = false;
  let midText = false;
  /** The round whose text is already on the screen. */
  let streamed = -1;
  /** The text of that round. */
  let said = "";

  return { item, line, tick, clear };

  function item(event: StreamItem): void {
    switch (event.type) {
      case "delta":
        return write(event.round, event.text);
      case "reset":
        streamed = -1;
        return line(paint("dim", "(the text starts again)"));
      case "model.retry":
        return line(paint("yellow", `${safeText(event.message)} Attempt ${event.attempt + 1} in ${(event.waitMs / 1000).toFixed(1)} s.`));
      case "progress":
        return progressed(event.callId, event.tool, event.message, event.fraction);
      case "run.started":
        waiting = { what: "the model", since: event.at };
        return;
      case "turn":
        return turn(event);
      case "call.held":
        return held(event);
      case "call.unserved":
        under(event.callId, event.tool, event.at, "waits for a worker");
        return line(`${paint("yellow", "‖")} ${safeText(event.tool)} waits for a worker: ${absentFor(event)}`);
      case "call.asked":
        return asked(event);
      case "question.asked":
        return questioned(event);
      case "question.ended":
        under(event.callId, event.tool, event.at, "");
        return line(
          paint(
            "dim",
            `  the question of ${safeText(event.tool)}: ${event.outcome}${event.reason === undefined ? "" : `. ${safeText(event.reason)}`}`,
          ),
        );
      case "call.decided":
        under(event.callId, event.tool, event.at, "");
        return line(decidedLine(event, paint));
      case "call.resolved":
        calls.delete(event.callId);
        waiting = { what: "the model", since: event.at };
        return line(resolvedLine(event, paint, reasons));
      case "call.settled":
        return line(`${paint(event.status === "ok" ? "green" : "yellow", "!")} ${safeText(event.content)}`);
      case "run.queued":
        waiting = null;
        return line(paint("dim", `waits behind ${event.behind}${placeOf(event)}`));
      case "run.cancelling":
        waiting = null;
        return line(paint("yellow", `cancelling, asked by ${event.by}; waiting for writes that were sent`));
      case "run.completed":
        // The answer is usually the text of the last turn. The screen already shows this text.
        if (event.text.trim() !== said.trim()) write(NO_ROUND, event.text);
        return finish();
      case "run.failed":
      case "run.cancelled":
        return finish();
      default:
        // An event kind of a newer server.
        return;
    }
  }

  function turn(event: Extract<RunEvent, { type: "turn" }>): void {
    if (streamed !== event.round) write(event.round, event.text);
    waiting = null;
    for (const call of event.calls) {
      under(call.callId, call.tool, event.at, "");
      line(`${paint("cyan", "→")} ${safeText(call.tool)} ${paint("dim", cut(call.arguments, WIDTH - call.tool.length - 3))}`);
    }
  }

  function held(event: Extract<RunEvent, { type: "call.held" }>): void {
    under(event.callId, event.tool, event.at, `waits for ${peopleFor(event)}`);
    line(
      `${paint("yellow", "‖")} ${safeText(event.tool)} waits for ${peopleFor(event)} (${safeText(event.tier)} tier): ${cut(safeText(event.effect), WIDTH - 50)}`,
    );
    line(`  ${SELF} approvals approve ${safeText(event.approvalId)}`);
  }

  function asked(event: Extract<RunEvent, { type: "call.asked" }>): void {
    under(event.callId, "ask_user", event.at, "waits for an answer");
    line(`${paint("yellow", "?")} ${safeText(event.question)}`);
    event.options.forEach((option, n) => line(`  ${n + 1}  ${safeText(option)}`));
  }

  function questioned(event: Extract<RunEvent, { type: "question.asked" }>): void {
    under(event.callId, event.tool, event.at, "waits for an answer");
    const warning = event.untrusted ? " (untrusted: give it no secrets)" : "";
    line(`${paint("yellow", "?")} ${safeText(event.tool)} of ${safeText(event.from)} asks${warning}: ${safeText(event.message)}`);
    for (const field of fieldsOf(event.form)) fieldLines(field).forEach((each) => line(each));
  }

  function progressed(callId: string, tool: string, message: string, fraction: number | undefined): void {
    const doing = `${message}${fraction === undefined ? "" : ` ${Math.round(fraction * 100)} %`}`;
    const before = calls.get(callId);
    if (before) calls.set(callId, { ...before, doing });
    // Without a live line, the screen writes each new progress message as one line.
    if (moving || before?.doing === doing) return;
    line(paint("dim", `… ${tool}: ${doing}`));
  }

  function under(callId: string, tool: string, at: number, doing: string): void {
    const since = calls.get(callId)?.since ?? at;
    calls.set(callId, { tool, since, doing });
  }

  function write(round: number, words: string): void {
    if (!text || words === "") return;
    clear();
    if (round !== streamed) {
      if (midText) text.write("\n");
      said = "";
    }
    streamed = round;
    said += words;
    midText = !words.endsWith("\n");
    text.write(safeText(words));
  }

  function line(words: string): void {
    if (quiet) return;
    clear();
    if (midText) text?.write("\n");
    midText = false;
    progress.write(`${words}\n`);
  }

  function finish(): void {
    calls.clear();
    waiting = null;
    clear();
    if (midText) text?.write("\n");
    midText = false;
  }

  function tick(now: number): void {
    if (!moving || midText) return;
    const doing = calls.size > 0 ? callsAt(now) : waitingAt(now);
    if (doing === null) return;
    const width = Math.min(progress.columns || WIDTH, WIDTH) - 3;
    progress.write(`${CLEAR}${paint("dim", `  ${cut(doing, width)}`)}`);
    drawn = true;
  }

  function callsAt(now: number): string {
    const each = [...calls.values()].map(({ tool, since, doing }) => `${tool} ${spanOf(Math.max(0, now - since))}${doing && `, ${doing}`}`);
    return each.join(" · ");
  }

  function waitingAt(now: number): string | null {
    if (waiting === null) return null;
    const since = waiting.since ?? now;
    waiting = { ...waiting, since };
    return `waiting for ${waiting.what} ${spanOf(Math.max(0, now - since))}`;
  }

  function clear(): void {
    if (drawn) progress.write(CLEAR);
    drawn = false;
  }
}

/** The round number for text outside any round. */
const NO_ROUND = -2;

// The control sequence that moves the cursor to the first column and clears the line.
const CLEAR = "\r\u001b[2K";

function decidedLine(event: Extract<RunEvent, { type: "call.decided" }>, paint: Paint): string {
  const yes = event.outcome === "approved";
  const changed = event.changes === undefined ? "" : `, with changed arguments: ${cut(safeText(changesInWords(event.changes)), WIDTH)}`;
  return `${paint(yes ? "green" : "red", yes ? "✓" : "✗")} ${paint("reset", event.tool)} ${decisionOf(event)}${changed}`;
}

function resolvedLine(event: Extract<RunEvent, { type: "call.resolved" }>, paint: Paint, reasons: boolean): string {
  const ok = event.status === "ok";
  const why = ok || !reasons ? "" : messageIn(event.content);
  const head = `${paint(ok ? "green" : "red", ok ? "✓" : "✗")} ${paint("reset", event.tool)} ${event.status.replaceAll("_", " ")}, ${tookOf(event.latencyMs)}`;
  return why === "" ? head : `${head}: ${cut(safeText(why), WIDTH - event.tool.length - event.status.length - 20)}`;
}

/**
 * Returns the `message` of a failed result, or an empty text if the content is JSON without a message. Returns the whole content if it is not JSON.
 */
export function messageIn(content: string): string {
  try {
    const value: unknown = JSON.parse(content);
    return typeof value === "object" && value !== null && "message" in value && typeof value.message === "string" ? value.message : "";
  } catch {
    return content;
  }
}
