import {
  attributes,
  type Message,
  message,
  messageIds,
  messageTypes,
  type ToolInvoke,
  type ToolProgress,
  topics,
} from "@toolbus/contracts";
import { secretHash } from "@toolbus/grants";
import { redactText } from "@toolbus/telemetry";
import { replyAgent } from "../calls/result-message.ts";
import { cleanText } from "./tool-problem.ts";

/** The progress of a tool, for viewers of the run. */
export interface Progress {
  /** One line of at most 500 characters. Text that looks like a credential is removed. */
  readonly message: string;
  /** A number from 0 to 1, if it is known. */
  readonly fraction?: number;
}

export interface ProgressReporter {
  /**
   * Sends a report, which may be lost. Never waits and never fails. If reports arrive faster than four times a second, only the latest one is sent.
   */
  report(progress: Progress): void;
  /** Reports at once that the stored questions of the call have changed. The report may be lost, because the store has the questions. */
  questions(message: string): void;
  /** Ends the reports, because the call has ended. Nothing more is sent, not even a waiting report. */
  end(): void;
}

export interface ProgressParts {
  readonly invoke: Message;
  readonly call: ToolInvoke;
  readonly dispatch: number;
  /** The number of times that the broker delivered this invoke. */
  readonly count: number;
  readonly source: string;
  readonly clock: () => number;
  readonly announce: (message: Message) => Promise<void>;
}

const EVERY_MS = 250;
const MESSAGE_CHARS = 500;

/**
 * Reports the progress of one call. The first report is sent at once, and then the latest one every 250 ms. Nothing is sent if the invoke had no
 * secret, because a report needs the secret as proof.
 */
export function progressReporter(parts: ProgressParts): ProgressReporter {
  const secret = parts.invoke.attributes[attributes.callSecret];
  // A later attempt, perhaps in another process, continues from a higher number.
  const base = Math.min(parts.dispatch, 9999) * 100_000_000 + Math.min(parts.count, 999) * 100_000;
  let sent = 0;
  let next: Progress | null = null;
  let timer: NodeJS.Timeout | undefined;
  let ended = secret === undefined;
  return {
    report(progress) {
      if (ended) return;
      next = progress;
      if (timer === undefined) sendNext();
    },
    questions(message) {
      if (ended || secret === undefined) return;
      parts.announce(progressMessage(parts, { message, questions: true }, base + ++sent, secret)).catch(() => undefined);
    },
    end() {
      ended = true;
      clearTimeout(timer);
    },
  };

  function sendNext(): void {
    timer = undefined;
    if (ended || next === null || secret === undefined) return;
    const said = progressMessage(parts, next, base + ++sent, secret);
    next = null;
    timer = setTimeout(sendNext, EVERY_MS).unref();
    parts.announce(said).catch(() => undefined);
  }
}

type Report = Progress & Pick<ToolProgress, "questions">;

function progressMessage(parts: ProgressParts, { message: text, fraction, questions }: Report, n: number, secret: string): Message {
  const { toolCallId, toolName } = parts.call;
  const body: ToolProgress = {
    toolCallId,
    toolName,
    n,
    // The text is redacted before it is truncated, because half a credential would not be recognised.
    message: cleanText(redactText(String(text).slice(0, 8 * MESSAGE_CHARS)), MESSAGE_CHARS),
    ...(typeof fraction === "number" && !Number.isNaN(fraction) ? { fraction: Math.min(1, Math.max(0, fraction)) } : {}),
    ...(questions === undefined ? {} : { questions }),
    secretHash: secretHash(secret),
  };
  return message({
    id: messageIds.other("progress", toolCallId, n),
    topic: topics.progress(replyAgent(parts.invoke.replyTo)),
    type: messageTypes.toolProgress,
    source: parts.source,
    now: parts.clock(),
    correlationId: toolCallId,
    body,
  });
}
