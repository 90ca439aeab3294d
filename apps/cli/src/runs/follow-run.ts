import type { RunEnd, RunEvent } from "@toolbus/contracts";
import { Answered, type Client } from "../http/client.ts";
import type { Interrupts } from "../terminal/interrupts.ts";
import type { Keyboard } from "../terminal/keyboard.ts";
import { safeText } from "../terminal/safe-text.ts";
import { SELF } from "../toolbus/self.ts";
import type { RunScreen } from "./run-screen.ts";
import { askForm, sendAnswer, type ToolAsked } from "./tool-question.ts";
import { type StreamItem, watchRun } from "./watch-run.ts";

export interface FollowOptions {
  readonly gateway: Client;
  readonly runId: string;
  readonly screen: RunScreen;
  readonly signal: AbortSignal;
  readonly now: () => number;
  readonly onItem?: (item: StreamItem) => void;
  /** The keyboard at which the person answers the model's questions. Without it the run waits for an answer from elsewhere. */
  readonly keyboard?: Keyboard;
  /** If set, the first Ctrl-C cancels the run and waits for its end. */
  readonly interrupts?: Interrupts;
}

export interface Followed {
  readonly end: RunEnd;
  /** Whether the person cancelled the run with Ctrl-C. */
  readonly interrupted: boolean;
}

const TICK_MS = 1000;

/**
 * Follows a run on the screen to its end, and sends the person's answers and the request to cancel. If the signal aborts, the run continues, and the
 * screen shows the command that follows it.
 */
export async function followRun(options: FollowOptions): Promise<Followed> {
  const { gateway, runId, screen, now, onItem, keyboard, interrupts, signal } = options;
  const failing = new AbortController();
  const questions = asker(options, (error) => failing.abort(error));
  const ticking = setInterval(() => questions.open() || screen.tick(now()), TICK_MS).unref();
  let interrupted = false;
  const takeBack = interrupts?.first(() => {
    interrupted = true;
    screen.line("Cancelling; Ctrl-C again leaves it running.");
    gateway.post(`/v1/runs/${runId}/cancel`, {}).catch((error: unknown) => {
      // The run has already ended, and the stream will report its end.
      if (!(error instanceof Answered && error.status === 409)) failing.abort(error);
    });
  });
  try {
    const end = await watchRun(gateway, runId, {
      signal: AbortSignal.any([signal, failing.signal]),
      onLost: () => screen.line("The connection was lost; it resumes where it broke off as soon as Toolbus answers again."),
      onItem(item) {
        screen.item(item);
        onItem?.(item);
        if (item.type === "call.asked" && keyboard) questions.ask(item);
        if (item.type === "call.asked" && !keyboard) {
          screen.line(`  ${SELF} runs answer ${runId} "your answer" --call ${safeText(item.callId)}`);
        }
        // An ended question has no form. It may have ended before the agent wrote the event.
        if (item.type === "question.asked" && item.form !== undefined) {
          if (keyboard) questions.ask(item);
          else screen.line(`  ${answerCommand(runId, item)}`);
        }
        if (item.type === "call.resolved" || item.type === "question.ended") questions.close(item.callId);
      },
    });
    return { end, interrupted };
  } catch (error) {
    if (signal.aborted) screen.line(`The run continues: ${SELF} runs watch ${runId}`);
    throw error;
  } finally {
    clearInterval(ticking);
    takeBack?.();
    questions.closeAll();
    screen.clear();
  }
}

type Asked = Extract<RunEvent, { type: "call.asked" }> | ToolAsked;

/** Returns the command that answers a question of a tool. */
export function answerCommand(runId: string, { callId }: Pick<ToolAsked, "callId">): string {
  return `${SELF} runs answer ${runId} '{"field": "value"}' --call ${safeText(callId)}  # or --decline`;
}

/** Asks the person the questions of a run, one after another. If somebody answers a question elsewhere, the function withdraws it from the screen. */
function asker({ gateway, runId, keyboard, signal, screen }: FollowOptions, fail: (error: unknown) => void) {
  const asking = new Map<string, AbortController>();
  let turn: Promise<void> = Promise.resolve();
  return {
    open: () => asking.size > 0,
    ask(asked: Asked): void {
      const control = new AbortController();
      asking.set(asked.callId, control);
      turn = turn.then(() => put(asked, control.signal)).catch(fail);
    },
    close,
    closeAll: () => [...asking.keys()].forEach(close),
  };

  function close(callId: string): void {
    asking.get(callId)?.abort(new Error("The question is answered."));
    asking.delete(callId);
  }

  async function put(asked: Asked, closed: AbortSignal): Promise<void> {
    if (asked.type === "question.asked") return putForm(asked, closed);
    const { callId, options } = asked;
    const answer = await keyboard?.ask("your answer > ", AbortSignal.any([closed, signal])).catch((error: unknown) => {
      if (closed.aborted || signal.aborted) return null;
      throw error;
    });
    asking.delete(callId);
    if (answer === null || answer === undefined || answer.trim() === "") {
      if (!closed.aborted) screen.line(`No answer was given: ${SELF} runs answer ${runId} "your answer" gives one later.`);
      return;
    }
    await orSaid(gateway.post(`/v1/runs/${runId}/answers`, { callId, text: meantBy(answer.trim(), options) }));
  }

  async function putForm(asked: ToolAsked, closed: AbortSignal): Promise<void> {
    const { callId, questionId } = asked;
    const line = (text: string): void => screen.line(text);
    const given = AbortSignal.any([closed, signal]);
    const content = keyboard
      ? await askForm(asked, { keyboard, line, signal: given }).catch((error: unknown) => {
          if (closed.aborted || signal.aborted) return undefined;
          throw error;
        })
      : undefined;
    asking.delete(callId);
    if (content !== undefined) await orSaid(sendAnswer(gateway, { runId, callId, questionId }, content));
  }

  /** Shows why the gateway refused an answer. The question was answered elsewhere or is no longer open, or the answer does not fit its form. */
  async function orSaid(sent: Promise<unknown>): Promise<void> {
    await sent.catch((error: unknown) => {
      if (!(error instanceof Answered && (error.status === 409 || error.status === 400))) throw error;
      screen.line(error.message);
    });
  }
}

/** Returns the option with the typed number, or the typed text itself. */
export function meantBy(answer: string, options: readonly string[]): string {
  return (/^\d{1,2}$/.test(answer) && options[Number(answer) - 1]) || answer;
}
