import { type Awaited, type Call, keys, parseCall, type Run, type RunView, type RunViewStatus } from "@toolbus/contracts";
import type { StateStore } from "@toolbus/state";
import type { OwnRun } from "./run-access.ts";

/** A run as HTTP shows it, with what it waits for people with. */
export async function viewRun(state: StateStore, own: OwnRun): Promise<RunView> {
  const [view] = await viewRuns(state, [own]);
  if (!view) throw new Error(`${own.runId} has no view.`);
  return view;
}

/** Runs as HTTP shows them, in their order. Calls are read only where a run waits for some, all of them at once. */
export async function viewRuns(state: StateStore, owns: readonly OwnRun[]): Promise<readonly RunView[]> {
  const open = owns.flatMap(({ run }) => openCalls(run));
  const { documents } = open.length > 0 ? await state.read(open.map((callId) => keys.call(callId))) : { documents: [] };
  const calls = documents.flatMap((document) => {
    const call = parseCall(document?.value);
    return call.ok ? [call.value] : [];
  });
  const byRun = Map.groupBy(calls, ({ runId }) => runId);
  return owns.map((own) => runView(own, byRun.get(own.runId) ?? []));
}

/** `accepted` until the agent has taken it. `calls` are the open ones, as far as they are known. */
export function runView({ runId, origin, run }: OwnRun, calls: readonly Call[]): RunView {
  const self = `/v1/runs/${runId}`;
  const links = { self, events: `${self}/events`, cancel: `${self}/cancel`, answers: `${self}/answers` };
  const base = { runId, conversationId: origin.conversationId, requester: origin.principal, createdAt: origin.createdAt, links };
  if (!run) return { ...base, status: "accepted" };
  const awaiting = calls.flatMap(awaitedOf);
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
    ...(run.ending?.code === undefined ? {} : { code: run.ending.code }),
    report: run.report,
  };
}

/** The calls of a run that waits for some. */
function openCalls(run: Run | null): string[] {
  if (!run || run.endedAt !== null) return [];
  return run.calls.filter(({ resolved }) => !resolved).map(({ callId }) => callId);
}

function statusOf(run: Run, awaiting: readonly Awaited[]): RunViewStatus {
  if (run.endedAt !== null) return run.status;
  if (run.cancel) return "cancelling";
  if (awaiting.some(({ kind }) => kind === "approval")) return "awaiting_approval";
  return awaiting.length > 0 ? "awaiting_answer" : run.status;
}

function awaitedOf(call: Call): Awaited[] {
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
  if (call.state !== "asked") return [];
  return [
    { kind: "answer", callId, tool, ...questionIn(call.arguments), ...(askExpiresAt === undefined ? {} : { expiresAt: askExpiresAt }) },
  ];
}

/** The question and its options, as far as the arguments hold them. */
function questionIn(text: string): Pick<Awaited, "question" | "options"> {
  const args: unknown = JSON.parse(text);
  if (typeof args !== "object" || args === null) return {};
  const question = "question" in args && typeof args.question === "string" ? { question: args.question } : {};
  const options =
    "options" in args && Array.isArray(args.options) ? { options: args.options.filter((option) => typeof option === "string") } : {};
  return { ...question, ...options };
}
