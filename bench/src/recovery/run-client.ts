import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { Apart } from "@toolbus/all-in-one";
import { isRunEnd, type RunEvent } from "@toolbus/contracts";

/** An event of a run, and when the client received it. */
export interface Received {
  readonly id: string;
  readonly event: RunEvent;
  /** On the clock of `performance.now()`. */
  readonly at: number;
}

/** A run that the client follows. The client reads its stream and resumes it at the other gateway when it ends. */
export interface FollowedRun {
  readonly runId: string;
  readonly received: readonly Received[];
  /** Resolves with the first event for which `is` returns true. Rejects if none arrives in time, or if the run ends without one. */
  first(is: (received: Received) => boolean): Promise<Received>;
}

export interface RunClient {
  /** Starts a run with one message, and follows it. Its stream begins at this gateway, counted from 0. */
  begin(text: string, gateway?: number): Promise<FollowedRun>;
  /** Approves a write. If one replica of approvals does not answer, asks the other. */
  approve(approvalId: string): Promise<void>;
}

const PATIENCE_MS = 90_000;
const REQUEST_MS = 5000;
const AGAIN_MS = 20;
/** The gateway tells browsers to wait this long before they connect again. */
const RECONNECT_MS = 500;

/** Returns a client that behaves as our documentation says: it repeats requests at the other replica, and resumes streams after the last event. */
export function runClient({ gatewayUrls, approvalsUrls, keys }: Apart, signal: AbortSignal): RunClient {
  const asUser = { authorization: `Bearer ${keys.user}` };
  const asApprover = { authorization: `Bearer ${keys.approver}`, "content-type": "application/json" };
  return {
    async begin(text, gateway = 0) {
      const { conversationId } = await post<{ readonly conversationId: string }>("/v1/conversations", {});
      const { runId } = await post<{ readonly runId: string }>(`/v1/conversations/${conversationId}/messages`, { text });
      return follow(runId, gateway);
    },
    async approve(approvalId) {
      await patiently(`the decision of ${approvalId}`, approvalsUrls, async (base) => {
        const url = `${base}/v1/approvals/${encodeURIComponent(approvalId)}`;
        const seen = await fetch(url, { headers: asApprover, signal: AbortSignal.timeout(REQUEST_MS) });
        if (!seen.ok) return null;
        const { decisionToken: token } = (await seen.json()) as { readonly decisionToken?: string };
        // Without a token the write is decided: only the answer to an earlier request was lost.
        if (token === undefined) return true;
        const body = JSON.stringify({ decision: "approve", token });
        const timely = AbortSignal.timeout(REQUEST_MS);
        const answer = await fetch(`${url}/decision`, { method: "POST", headers: asApprover, body, signal: timely });
        return answer.ok ? true : null;
      });
    },
  };

  function post<T>(where: string, body: object): Promise<T> {
    const headers = { ...asUser, "content-type": "application/json", "idempotency-key": randomUUID() };
    return patiently(`an answer to POST ${where}`, gatewayUrls, async (base) => {
      const timely = AbortSignal.timeout(REQUEST_MS);
      const answer = await fetch(base + where, { method: "POST", headers, body: JSON.stringify(body), signal: timely });
      if (answer.ok) return (await answer.json()) as T;
      if (answer.status >= 500) return null;
      throw new Refused(`POST ${where} was answered ${answer.status}: ${await answer.text()}`);
    });
  }

  function follow(runId: string, gateway: number): FollowedRun {
    const received: Received[] = [];
    const watchers = new Set<() => void>();
    const over = read().finally(() => {
      for (const look of watchers) look();
    });
    // Only `first` reports that the stream was given up.
    over.catch(() => undefined);
    return {
      runId,
      received,
      async first(is) {
        const { promise, resolve, reject } = Promise.withResolvers<Received>();
        const look = (): void => {
          const found = received.find(is);
          if (found) resolve(found);
        };
        const late = setTimeout(() => reject(new Error(`${runId} did not move within ${PATIENCE_MS / 1000} s`)), PATIENCE_MS);
        const ended = over.then(() => (look(), reject(new Error(`${runId} ended without the expected event`))), reject);
        watchers.add(look);
        look();
        try {
          return await promise;
        } finally {
          clearTimeout(late);
          watchers.delete(look);
          void ended;
        }
      },
    };

    async function read(): Promise<void> {
      for (let turn = gateway; !received.some(({ event }) => isRunEnd(event)); turn++) {
        if (turn > gateway) await pause(RECONNECT_MS, undefined, { signal });
        await readStream(gatewayUrls[turn % gatewayUrls.length] ?? "").catch(() => signal.throwIfAborted());
      }
    }

    async function readStream(base: string): Promise<void> {
      const last = received.at(-1)?.id;
      const headers = { ...asUser, accept: "text/event-stream", ...(last === undefined ? {} : { "last-event-id": last }) };
      const stream = await fetch(`${base}/v1/runs/${runId}/events`, { headers, signal });
      if (!stream.ok || !stream.body) return;
      let text = "";
      for await (const chunk of stream.body.pipeThrough(new TextDecoderStream())) {
        const blocks = (text + chunk).split("\n\n");
        text = blocks.pop() ?? "";
        for (const block of blocks) take(block);
      }
    }

    function take(block: string): void {
      const [id, data] = [/^id: (.+)$/m.exec(block)?.[1], /^data: (.+)$/m.exec(block)?.[1]];
      if (id === undefined || data === undefined) return;
      received.push({ id, event: JSON.parse(data) as RunEvent, at: performance.now() });
      for (const look of watchers) look();
    }
  }

  /** Repeats an attempt at one replica after the other until it returns a value. */
  async function patiently<T>(what: string, urls: readonly string[], attempt: (base: string) => Promise<T | null>): Promise<T> {
    const late = AbortSignal.timeout(PATIENCE_MS);
    let lastError: unknown;
    for (let turn = 0; !late.aborted; turn++) {
      signal.throwIfAborted();
      try {
        const value = await attempt(urls[turn % urls.length] ?? "");
        if (value !== null) return value;
      } catch (error) {
        if (error instanceof Refused) throw error;
        lastError = error;
      }
      await pause(AGAIN_MS);
    }
    throw new Error(`Waited ${PATIENCE_MS / 1000} s for ${what}.`, { cause: lastError });
  }
}

class Refused extends Error {
  override readonly name = "Refused";
}
