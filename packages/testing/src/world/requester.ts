import type { Json, JsonObject, RunEvent } from "@toolbus/contracts";
import { type Answer, insist, sleep } from "./http-door.ts";
import { type PeopleOptions, REQUESTER, type Request } from "./persons.ts";
import { viewer } from "./viewer.ts";

/** One person who asks for runs. */
export interface Requester {
  /** Resolves when every message was accepted or refused. */
  ask(request: Request): Promise<void>;
  /** Handles the events of a run that the requester sees. */
  notice(runId: string, events: readonly Json[]): void;
}

const PATIENCE = 40;

export function requester({ wire, observe, random, gateways, habits }: PeopleOptions): Requester {
  const { clockwork } = wire;
  const watching = random.fork("watching");
  const eyes = viewer({ wire, observe, random: watching, gateways, habits });
  const options = {
    served: gateways,
    tries: PATIENCE,
    random,
    onFault: (error: string) => observe({ kind: "fault", at: clockwork.now, process: "the gateway", error }),
  };
  return {
    async ask({ name, messages, interrupts = false }) {
      await think(2000);
      if (messages === 0) return started(await post("/v1/investigations", `ask-${name}`, { releaseId: name }));
      const created = await post("/v1/conversations", `begin-${name}`, {});
      const conversationId = created?.body["conversationId"];
      if (created?.status !== 201 || typeof conversationId !== "string") return;
      for (let said = 0; said < messages; said++) {
        const ifActive = interrupts ? "interrupt" : random.pick(["enqueue", "enqueue", "interrupt", "reject"]);
        const body = { text: `${name} ${said}`, ifActive };
        started(await post("/v1/conversations/:id/messages", `say-${name}-${said}`, body, conversationId));
        await think(habits.thinkMs);
      }
    },
    notice(runId, events) {
      for (const event of events as unknown as readonly RunEvent[]) if (event.type === "call.asked") void answer(runId, event.callId);
    },
  };

  function started(accepted: Answer | null): void {
    const runId = accepted?.body["runId"];
    if (accepted?.status !== 202 || typeof runId !== "string") return;
    observe({ kind: "accepted", at: clockwork.now, runId });
    if (random.chance(habits.cancels)) void cancel(runId);
    if (watching.chance(habits.watches)) {
      observe({ kind: "watches", at: clockwork.now, runId });
      void eyes.watch(runId);
    }
  }

  async function cancel(runId: string): Promise<void> {
    await think(habits.thinkMs * 2);
    await post("/v1/runs/:id/cancel", `cancel-${runId}`, undefined, runId);
  }

  async function answer(runId: string, callId: string): Promise<void> {
    await think(habits.thinkMs);
    if (random.chance(habits.ignores)) return;
    await post("/v1/runs/:id/answers", `answer-${callId}`, { callId, text: "The second one." }, runId);
    // A person who does not know whether the answer was sent sends it again.
    if (random.chance(habits.cheats))
      await post("/v1/runs/:id/answers", `answer-${callId}-again`, { callId, text: "The first one." }, runId);
  }

  function post(url: string, key: string, body?: JsonObject, id?: string): Promise<Answer | null> {
    return insist(
      wire,
      {
        method: "POST",
        url,
        principal: REQUESTER,
        headers: { "idempotency-key": key },
        ...(body === undefined ? {} : { body }),
        ...(id === undefined ? {} : { id }),
      },
      options,
    );
  }

  function think(mostMs: number): Promise<void> {
    return sleep(wire, random.magnitude(1, Math.max(2, mostMs)));
  }
}
