import type { Call, Run } from "./documents/agent.ts";
import type { RunOrigin } from "./documents/gateway.ts";
import type { CallQuestions, ToolQuestion } from "./documents/question.ts";
import type { Awaited, ReportView, RunView, RunViewStatus } from "./http-views.ts";
import type { Report } from "./report.ts";
import { outcomesOf } from "./run-outcomes.ts";
import { verdictIn } from "./verdict/finding-text.ts";

/** A run with the person who asked for it. */
export interface KnownRun {
  readonly runId: string;
  readonly origin: Pick<RunOrigin, "conversationId" | "principal" | "createdAt">;
  /** The agent's document, or null until the agent has picked up the run. */
  readonly run: Run | null;
}

/** A question of a tool that a person can still answer. */
export interface OpenQuestion extends Pick<CallQuestions, "callId" | "from" | "untrusted"> {
  readonly question: ToolQuestion;
}

/**
 * Returns the run as everybody sees it. Its status is `accepted` until the agent has picked up the run. `calls` are the known open calls, and `asking`
 * are the open questions of their tools.
 */
export function runView({ runId, origin, run }: KnownRun, calls: readonly Call[], asking: readonly OpenQuestion[] = []): RunView {
  const self = `/v1/runs/${runId}`;
  const links = { self, events: `${self}/events`, cancel: `${self}/cancel`, answers: `${self}/answers` };
  const base = { runId, conversationId: origin.conversationId, requester: origin.principal, createdAt: origin.createdAt, links };
  if (!run) return { ...base, status: "accepted" };
  const awaiting = calls.flatMap((call) => awaitedOf(call, asking));
  const outcomes = outcomesOf(run);
  return {
    ...base,
    status: statusOf(run, awaiting),
    profile: run.profile,
    input: run.input,
    round: run.round,
    usage: run.usage,
    activeMs: run.activeMs,
    startedAt: run.startedAt,
    endedAt: run.endedAt,
    openCalls: openCalls(run),
    awaiting,
    answer: run.ending?.text ?? null,
    ...(run.ending?.truncated ? { truncated: true as const } : {}),
    ...(run.writes ? { writes: run.writes } : {}),
    ...(outcomes.length > 0 ? { outcomes } : {}),
    ...(run.ending?.code === undefined ? {} : { code: run.ending.code }),
    report: run.report && reportView(run.report),
  };
}

/** Returns a report with its verdict, if the investigation has found something. */
export function reportView(report: Report): ReportView {
  return report.severity === null ? report : { ...report, verdict: verdictIn(report.findings) };
}

/** Returns the ids of the calls that a run waits for. */
export function openCalls(run: Run | null): string[] {
  if (!run || run.endedAt !== null) return [];
  return run.calls.filter(({ resolved }) => !resolved).map(({ callId }) => callId);
}

function statusOf(run: Run, awaiting: readonly Awaited[]): RunViewStatus {
  if (run.endedAt !== null) return run.status;
  if (run.cancel) return "cancelling";
  if (awaiting.some(({ kind }) => kind === "approval")) return "awaiting_approval";
  return awaiting.length > 0 ? "awaiting_answer" : run.status;
}

function awaitedOf(call: Call, asking: readonly OpenQuestion[]): Awaited[] {
  const { callId, toolName: tool, approvalId, approvalExpiresAt, askExpiresAt } = call;
  if (call.state === "held")
    return [
      {
        kind: "approval",
        callId,
        tool,
        ...(approvalId === undefined ? {} : { approvalId }),
        ...(approvalExpiresAt === undefined ? {} : { expiresAt: approvalExpiresAt }),
      },
    ];
  if (call.state === "dispatched") return asking.filter((open) => open.callId === callId).map((open) => toolAsks(tool, open));
  if (call.state !== "asked") return [];
  return [
    { kind: "answer", callId, tool, ...questionIn(call.arguments), ...(askExpiresAt === undefined ? {} : { expiresAt: askExpiresAt }) },
  ];
}

function toolAsks(tool: string, { callId, from, untrusted, question }: OpenQuestion): Awaited {
  const { id: questionId, message, form, expiresAt } = question;
  return {
    kind: "question",
    callId,
    tool,
    questionId,
    from,
    ...(untrusted ? { untrusted } : {}),
    question: message,
    ...(form === undefined ? {} : { form }),
    expiresAt,
  };
}

/** Returns the question and its options, if the arguments contain them. */
function questionIn(text: string): Pick<Awaited, "question" | "options"> {
  const args: unknown = JSON.parse(text);
  if (typeof args !== "object" || args === null) return {};
  const question = "question" in args && typeof args.question === "string" ? { question: args.question } : {};
  const options =
    "options" in args && Array.isArray(args.options) ? { options: args.options.filter((option) => typeof option === "string") } : {};
  return { ...question, ...options };
}
