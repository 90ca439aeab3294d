import { styleText } from "node:util";
import { type ApprovalView, changesInWords, type Report, type RunEnd, type RunEvent } from "@toolbus/contracts";
import { framedCard } from "../approvals/approval-card.ts";
import { filingOf } from "../runs/report-lines.ts";
import { absentFor, decisionOf, peopleFor, placeOf } from "../runs/run-lines.ts";
import { oneLine, styleOf, verdictLines } from "../runs/verdict-lines.ts";
import { earlyEnd } from "../runs/watch-command.ts";
import type { StreamItem } from "../runs/watch-run.ts";
import { terminalWidth, wrapped } from "../terminal/lines.ts";
import { safeText } from "../terminal/safe-text.ts";

type Style = Parameters<typeof styleText>[0];

/** The view of a run in the terminal while the run happens. It writes one line of text per event, in colour if the terminal supports it. */
export interface Screen {
  line(text?: string): void;
  item(item: StreamItem): void;
  card(card: ApprovalView, now: number): void;
  report(end: RunEnd, where: readonly string[]): void;
}

export function screen(out: NodeJS.WriteStream): Screen {
  let midText = false;
  let streamed = -1;
  const paint = (style: Style, text: string): string => styleText(style, text, { stream: out, validateStream: true });

  return { line, item, card, report };

  function line(text = ""): void {
    if (midText) out.write("\n");
    midText = false;
    out.write(`${text}\n`);
  }

  function item(event: StreamItem): void {
    switch (event.type) {
      case "delta":
        if (event.round !== streamed) line(paint("dim", `round ${event.round}`));
        streamed = event.round;
        midText = true;
        return void out.write(event.text);
      case "reset":
        streamed = -1;
        return line(paint("dim", "(the text starts again)"));
      case "model.retry":
        return line(paint("yellow", `  ${event.message} Again in ${(event.waitMs / 1000).toFixed(1)} s.`));
      case "call.settled":
        return line(paint(event.status === "ok" ? "green" : "yellow", safeText(event.content)));
      case "run.queued":
        return line(paint("dim", `queued behind ${event.behind}${placeOf(event)}`));
      case "run.started":
        return line(`${paint("bold", event.profile)}  tools: ${event.tools.join(", ") || "none"}`);
      case "turn":
        return turn(event);
      case "call.held":
        return line(`  ${paint("yellow", "⏸")} ${event.tool} waits for ${peopleFor(event)} (${event.tier} tier)`);
      case "call.unserved":
        return line(`  ${paint("yellow", "⏸")} ${event.tool} waits for a worker: ${absentFor(event)}`);
      case "call.decided":
        return line(`  ${event.outcome === "approved" ? paint("green", "✓") : paint("red", "✗")} ${decisionOf(event)}${changedIn(event)}`);
      case "call.resolved":
        return line(
          `  ${event.status === "ok" ? paint("green", "✓") : paint("red", "✗")} ${event.tool}  ${event.status}  ${paint("dim", `${event.latencyMs.toFixed(0)} ms`)}${event.status === "ok" ? "" : `  ${reason(event.content)}`}`,
        );
      case "run.cancelling":
        return line(paint("yellow", `cancelling, asked by ${event.by}`));
      case "call.asked":
      case "question.asked":
      case "question.ended":
      case "arguments":
      case "progress":
        // The demo's profile asks no questions, and its tools finish at once.
        return;
      case "run.completed":
      case "run.failed":
      case "run.cancelled":
        // The report follows.
        return;
    }
  }

  function turn(event: Extract<RunEvent, { type: "turn" }>): void {
    if (event.seed) line(paint("dim", "before the model: fixed calls of the profile"));
    else if (streamed !== event.round) {
      line(paint("dim", `round ${event.round}`));
      if (event.text) line(event.text);
    } else line();
    streamed = event.round;
    for (const call of event.calls) line(`  ${paint("cyan", "→")} ${call.tool} ${paint("dim", short(call.arguments))}`);
  }

  function card(approval: ApprovalView, now: number): void {
    // A terminal that does not know its width reports 0.
    const width = Math.max(40, Math.min(out.columns || 100, 110));
    line();
    for (const text of framedCard(approval, now, width, (frame) => paint("yellow", frame))) line(text);
  }

  function report(end: RunEnd, where: readonly string[]): void {
    const { report: found } = end;
    line();
    if (found) reportLines(found).forEach((text) => line(text));
    for (const text of earlyEnd(end, paint)) line(text);
    line();
    for (const text of where) line(paint("dim", text));
  }

  function reportLines(found: Report): string[] {
    const severity = found.severity ?? "not assessed";
    const width = terminalWidth(out);
    const calls = found.evidence.map(
      (row) => `${row.tool} ${row.transcriptId} (${row.callId.split(".").slice(1).join(".")}) ${row.status}`,
    );
    return [
      `${paint("bold", "Risk report")} for ${oneLine(found.subject)}: ${paint([styleOf(found.severity), "bold"], severity)}  (${oneLine(filingOf(found))})`,
      ...verdictLines(found, paint, width),
      ...wrapped(`  evidence: ${safeText(calls.join("; ") || "none")}`, width).map((text) => paint("dim", text)),
    ];
  }
}

function reason(content: string): string {
  try {
    const { message } = JSON.parse(content) as { message?: unknown };
    return typeof message === "string" ? message : "";
  } catch {
    return content.slice(0, 200);
  }
}

function short(text: string): string {
  return text.length > 96 ? `${text.slice(0, 96)}…` : text;
}

/** Returns what the approver changed, after a comma, or nothing. */
function changedIn({ changes = [] }: Extract<StreamItem, { type: "call.decided" }>): string {
  return changes.length === 0 ? "" : `, with changed arguments: ${safeText(changesInWords(changes))}`;
}
