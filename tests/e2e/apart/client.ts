import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { isRunEnd, type RunEvent } from "@toolbus/contracts";
import type { Apart } from "@toolbus/all-in-one";

/** An event as a client received it. */
export interface Received {
  readonly id: string;
  readonly event: RunEvent;
}

/** The addresses and keys that the client uses. */
export type ClientOf = Pick<Apart, "gatewayUrls" | "approvalsUrls"> & {
  readonly keys: Pick<Apart["keys"], "user" | "approver">;
  /** How long the client repeats something without success. The default is a minute and a half. */
  readonly patienceMs?: number;
  /** Gets each attempt that did not succeed: what was asked, and the HTTP status or the name of the error. */
  readonly onFailure?: (asked: string, answer: string) => void;
};

const PATIENCE_MS = 90_000;
// The gateway sends a comment line every 15 s. The connection of a pod that is gone stays open and silent.
const SILENCE_MS = 35_000;
const REQUEST_MS = 5000;
// Hundreds of clients that repeat at a short interval would keep a server down that just came back.
const AGAIN_MS = 50;
const LONGEST_AGAIN_MS = 2000;

/**
 * Returns a client that follows the advice in our documentation. If a replica does not answer, the client tries the next one. It repeats a request
 * with the same key, and resumes a stream with the last event's id. It fails if it receives no answer within a minute and a half.
 */
export function patientClient({ gatewayUrls, approvalsUrls, keys, patienceMs = PATIENCE_MS, onFailure }: ClientOf) {
  let turn = 0;
  const next = (urls: readonly string[]): string => urls[turn++ % urls.length] ?? "";
  const patiently = <T>(what: string, attempt: () => Promise<T | null>): Promise<T> => untilDone(what, attempt, patienceMs);
  const asApprover = { authorization: `Bearer ${keys.approver}`, "content-type": "application/json" };
  return {
    /** Starts an investigation and returns its run. */
    investigate: (releaseId: string) => post<{ readonly runId: string }>("/v1/investigations", { releaseId }),
    /** Sends one message in a new conversation and returns its run. */
    async say(text: string) {
      const { conversationId } = await post<{ readonly conversationId: string }>("/v1/conversations", {});
      return post<{ readonly runId: string }>(`/v1/conversations/${conversationId}/messages`, { text });
    },
    /** Returns every durable event of a run up to its end. Approves writes that wait for a person, unless another approver is passed. */
    async toTheEnd(runId: string, onHeld: (approvalId: string) => void = (id) => void approve(id)): Promise<readonly Received[]> {
      const received: Received[] = [];
      await patiently(`the end of ${runId}`, async () => {
        await readStream(next(gatewayUrls), runId, received, (event) => {
          if (event.type === "call.held") onHeld(event.approvalId);
        });
        return received.some(({ event }) => isRunEnd(event)) ? received : null;
      });
      return received;
    },
    approve,
    look,
    /** Approves with a token that the caller already has. Returns the HTTP status. */
    async decide(approvalId: string, token: string): Promise<number> {
      return patiently(`an answer to the decision of ${approvalId}`, async () => {
        const { status } = await decision(approvalId, token);
        return status < 500 ? status : null;
      });
    },
  };

  /** Returns an approval. While the approval is open, it contains the token that a decision needs. */
  function look(approvalId: string): Promise<{ readonly decisionToken?: string }> {
    return patiently(`the approval ${approvalId}`, async () => {
      const seen = await ask("an approval", approvalUrl(approvalId), { headers: asApprover, signal: AbortSignal.timeout(REQUEST_MS) });
      return seen.ok ? ((await seen.json()) as { readonly decisionToken?: string }) : null;
    });
  }

  /** Asks a server, and reports an answer that is not a success. */
  async function ask(asked: string, url: string, init: RequestInit): Promise<Response> {
    try {
      const response = await fetch(url, init);
      if (!response.ok) onFailure?.(asked, `HTTP ${response.status}`);
      return response;
    } catch (error) {
      onFailure?.(asked, nameOf(error));
      throw error;
    }
  }

  function decision(approvalId: string, token: string): Promise<Response> {
    const body = JSON.stringify({ decision: "approve", token });
    return ask("a decision", `${approvalUrl(approvalId)}/decision`, {
      method: "POST",
      headers: asApprover,
      body,
      signal: AbortSignal.timeout(REQUEST_MS),
    });
  }

  function approvalUrl(approvalId: string): string {
    return `${next(approvalsUrls)}/v1/approvals/${encodeURIComponent(approvalId)}`;
  }

  function post<T>(path: string, body: object): Promise<T> {
    const key = randomUUID();
    return patiently(`an answer to POST ${path}`, async () => {
      const response = await ask(`POST ${path.replace(/cv_\w+/, ":id")}`, next(gatewayUrls) + path, {
        method: "POST",
        headers: { authorization: `Bearer ${keys.user}`, "content-type": "application/json", "idempotency-key": key },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(REQUEST_MS),
      });
      if (response.status >= 500) return null;
      if (!response.ok) throw new Refused(`POST ${path} was answered ${response.status}: ${await response.text()}`);
      return (await response.json()) as T;
    });
  }

  async function approve(approvalId: string): Promise<void> {
    await patiently(`the decision of ${approvalId}`, async () => {
      const { decisionToken: token } = await look(approvalId);
      // Without a token the write is already decided: an earlier request succeeded, and only its answer was lost.
      if (!token) return true;
      const answer = await decision(approvalId, token);
      // An approver may decide only so often in a minute, and two replicas may both have an answer under way.
      if (answer.status === 429 || answer.status >= 500) return null;
      if (answer.status >= 400 && answer.status !== 409)
        throw new Refused(`The decision of ${approvalId} was answered ${answer.status}: ${await answer.text()}`);
      return answer.ok ? true : null;
    });
  }

  async function readStream(gateway: string, runId: string, received: Received[], onEvent: (event: RunEvent) => void): Promise<void> {
    const last = received.at(-1)?.id;
    const silent = new AbortController();
    const silence = setTimeout(() => {
      onFailure?.("a stream", "silent");
      silent.abort(new Error("The stream fell silent."));
    }, SILENCE_MS);
    try {
      await readEvents(
        await ask("a stream", `${gateway}/v1/runs/${runId}/events`, {
          headers: { authorization: `Bearer ${keys.user}`, accept: "text/event-stream", ...(last ? { "last-event-id": last } : {}) },
          signal: silent.signal,
        }),
        received,
        (event) => onEvent(event),
        () => void silence.refresh(),
      );
    } finally {
      clearTimeout(silence);
      silent.abort();
    }
  }

  /** Reads events until the run's last one, or until the connection ends. */
  async function readEvents(
    response: Response,
    received: Received[],
    onEvent: (event: RunEvent) => void,
    onText: () => void,
  ): Promise<void> {
    if (!response.ok || !response.body) return;
    let text = "";
    for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
      onText();
      text += chunk;
      const blocks = text.split("\n\n");
      text = blocks.pop() ?? "";
      for (const block of blocks) {
        const [id, data] = [/^id: (.+)$/m.exec(block)?.[1], /^data: (.+)$/m.exec(block)?.[1]];
        if (id === undefined || data === undefined) continue;
        const event = JSON.parse(data) as RunEvent;
        received.push({ id, event });
        onEvent(event);
        if (isRunEnd(event)) return;
      }
    }
  }
}

/** Returns the code of the network error inside an error, or the error's name. */
function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return "an error";
  const { cause } = error;
  return cause instanceof Error && "code" in cause ? String(cause.code) : error.name;
}

/** Thrown when a server refuses a request. The client does not retry, because a repeat would have the same result. */
class Refused extends Error {
  override readonly name = "Refused";
}

/** Retries until the attempt returns a value, because a process or a broker may be unavailable for a while. */
async function untilDone<T>(what: string, attempt: () => Promise<T | null>, patienceMs: number): Promise<T> {
  const late = AbortSignal.timeout(patienceMs);
  let lastError: unknown;
  for (let againMs = AGAIN_MS; !late.aborted; againMs = Math.min(againMs * 2, LONGEST_AGAIN_MS)) {
    try {
      const value = await attempt();
      if (value !== null) return value;
    } catch (error) {
      if (error instanceof Refused) throw error;
      lastError = error;
    }
    await pause(againMs);
  }
  throw new Error(`Waited ${patienceMs / 1000} s for ${what}.`, { cause: lastError });
}
