import type { AllInOne } from "@toolbus/all-in-one";
import { isRunEnd, type RunEvent } from "@toolbus/contracts";
import { runEvents } from "./run-events.ts";

/**
 * Does one investigation as its user and its approver do: posts the investigation, follows its stream, approves its write, and waits for the filed
 * report. Rejects if the investigation ends in another way.
 */
export async function investigate({ gatewayUrl, approvalsUrl, keys }: AllInOne, releaseId: string, signal: AbortSignal): Promise<void> {
  const user = { authorization: `Bearer ${keys.user}` };
  const { runId } = await post(`${gatewayUrl}/v1/investigations`, user, { releaseId }, signal);
  const stream = await fetch(`${gatewayUrl}/v1/runs/${String(runId)}/events`, {
    headers: { ...user, accept: "text/event-stream" },
    signal,
  });
  for await (const event of runEvents(stream)) {
    if (event.type === "call.held") await approve(approvalsUrl, keys.approver, event.approvalId, signal);
    if (isRunEnd(event)) return checkEnd(event);
  }
  throw new Error("the stream of a run ended without a terminal event");
}

async function approve(approvalsUrl: string, key: string, approvalId: string, signal: AbortSignal): Promise<void> {
  const headers = { authorization: `Bearer ${key}` };
  const url = `${approvalsUrl}/v1/approvals/${encodeURIComponent(approvalId)}`;
  const card = await okJson(await fetch(url, { headers, signal }));
  await post(`${url}/decision`, headers, { decision: "approve", token: card["decisionToken"] }, signal);
}

async function post(url: string, headers: Readonly<Record<string, string>>, body: unknown, signal: AbortSignal): Promise<Answer> {
  return okJson(
    await fetch(url, { method: "POST", headers: { ...headers, "content-type": "application/json" }, body: JSON.stringify(body), signal }),
  );
}

type Answer = Readonly<Record<string, unknown>>;

async function okJson(response: Response): Promise<Answer> {
  if (!response.ok) throw new Error(`${response.url} answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as Answer;
}

function checkEnd(event: Extract<RunEvent, { type: `run.${string}` }>): void {
  const filed = event.type === "run.completed" && event.report?.filing.status === "filed";
  if (!filed) throw new Error(`a run ended as ${event.type} without a filed report`);
}
