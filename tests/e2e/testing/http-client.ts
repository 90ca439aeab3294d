import { describeProblems, isRunEnd, NumberedRunEvent, parser, type RunEvent } from "@toolbus/contracts";

/** The address and the key of a requester. */
export interface Requester {
  readonly gateway: string;
  readonly user: string;
}

/** The address and the key of an approver. */
export interface Decider {
  readonly approvals: string;
  readonly approver: string;
}

/** The fields of an approval that these tests read, as its approver sees it. */
export interface SeenApproval {
  readonly status: string;
  readonly decisionToken?: string;
}

const DEADLINE_MS = 30_000;
const parseEvent = parser(NumberedRunEvent);

/** Sends one HTTP request with a key. With a body, the request is a POST. */
export async function call(url: string, key: string, body?: object): Promise<{ readonly status: number; readonly body: unknown }> {
  const response = await fetch(url, {
    headers: { authorization: `Bearer ${key}`, ...(body ? { "content-type": "application/json" } : {}) },
    ...(body ? { method: "POST", body: JSON.stringify(body) } : {}),
    signal: AbortSignal.timeout(DEADLINE_MS),
  });
  return { status: response.status, body: await response.json() };
}

/** Starts an investigation and returns its run. */
export async function startRun({ gateway, user }: Requester, releaseId: string): Promise<string> {
  const { status, body } = await call(`${gateway}/v1/investigations`, user, { releaseId });
  if (status !== 202) throw new Error(`The gateway answered ${status}: ${JSON.stringify(body)}`);
  return (body as { readonly runId: string }).runId;
}

/** Reads a run's durable events up to its end or up to the first wanted event. Throws for an event that the API's description does not contain. */
export async function follow(
  { gateway, user }: Requester,
  runId: string,
  wanted: (event: RunEvent) => boolean = isRunEnd,
): Promise<readonly RunEvent[]> {
  const stop = new AbortController();
  const request = () =>
    fetch(`${gateway}/v1/runs/${runId}/events`, {
      headers: { authorization: `Bearer ${user}`, accept: "text/event-stream" },
      signal: AbortSignal.any([stop.signal, AbortSignal.timeout(DEADLINE_MS)]),
    });
  const first = await request();
  // On a busy machine, the server may give up a connection before the request arrives. RFC 9110 lets a client repeat it then.
  const response = first.status === 408 ? await request() : first;
  if (!response.ok || !response.body) throw new Error(`The stream answered ${response.status}.`);
  const events: RunEvent[] = [];
  let text = "";
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const blocks = text.split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks) {
      const data = /^data: (.+)$/m.exec(block)?.[1];
      if (!data || !/^id: /m.test(block)) continue;
      const parsed = parseEvent(JSON.parse(data));
      if (!parsed.ok) throw new Error(`The API's description has no such event: ${describeProblems(parsed.problems)} ${data}`);
      const event = parsed.value;
      events.push(event);
      if (wanted(event) || isRunEnd(event)) return events;
    }
  }
  throw new Error(`The stream of ${runId} broke off after ${events.map((event) => event.type).join(", ")}.`);
}

/** Follows a run until its write waits for a person, and returns the approval's id. */
export async function heldApproval(requester: Requester, runId: string): Promise<string> {
  const held = (await follow(requester, runId, (event) => event.type === "call.held")).at(-1);
  if (held?.type !== "call.held") throw new Error(`The run ${runId} ended as ${held?.type} before anybody was asked.`);
  return held.approvalId;
}

export const approvalUrl = ({ approvals }: Pick<Decider, "approvals">, approvalId: string): string =>
  `${approvals}/v1/approvals/${encodeURIComponent(approvalId)}`;

/** Reads an approval. While the approval is open, its approver receives a decision token. Each read returns the same token. */
export async function look(decider: Decider, approvalId: string): Promise<SeenApproval> {
  return (await call(approvalUrl(decider, approvalId), decider.approver)).body as SeenApproval;
}

/** Approves as an approver does: reads the approval, and then decides with the token that it contains. */
export async function approve(decider: Decider, approvalId: string): Promise<void> {
  const { decisionToken } = await look(decider, approvalId);
  const { status, body } = await call(`${approvalUrl(decider, approvalId)}/decision`, decider.approver, {
    decision: "approve",
    token: decisionToken,
  });
  if (status !== 200) throw new Error(`Approvals answered ${status}: ${JSON.stringify(body)}`);
}
