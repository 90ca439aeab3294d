import type { LocalToolsets } from "@toolbus/bus";
import type { Message } from "@toolbus/contracts";
import type { Outbox } from "@toolbus/runtime";
import type { Change, CommitReply } from "@toolbus/state";
import type { Log } from "@toolbus/telemetry";

/** An outbox that makes the calls of local toolsets itself. The store and the bus never see the invokes of these calls. */
export interface LocalCalls extends Outbox {
  /** Commits like `commit`, but leaves the local calls of the change to the caller. Returns their invokes if the commit was accepted. */
  commitOnly(shard: string, change: Change): Promise<{ readonly reply: CommitReply; readonly invokes: readonly Message[] }>;
  /** Makes a local call in the background, and passes its answer to the agent. */
  begin(invoke: Message): void;
  /**
   * Gives a local call back that got no answer because its worker or this process stops: it is sent over the bus, where another worker may take it.
   * If that fails too, the call's timer makes it again. Does nothing while the worker still runs, because then the pipeline has decided not to answer.
   */
  handBack(invoke: Message): Promise<void>;
}

export interface LocalCallsOptions {
  readonly outbox: Outbox;
  readonly local: LocalToolsets | undefined;
  readonly publish: (message: Message) => Promise<void>;
  /** Takes an answer as if it had come over the bus. Resolves with false if the answer could not be taken. */
  readonly take: (answer: Message) => Promise<boolean>;
  /** Runs work that `stop` waits for. */
  readonly background: (work: Promise<void>) => void;
  readonly stopping: AbortSignal;
  readonly log: Log;
}

export function localCalls({ outbox, local, publish, take, background, stopping, log }: LocalCallsOptions): LocalCalls {
  return {
    async commit(shard, change) {
      const { reply, invokes } = await commitOnly(shard, change);
      for (const invoke of invokes) begin(invoke);
      return reply;
    },
    commitOnly,
    begin,
    handBack,
    stop: () => outbox.stop(),
  };

  async function commitOnly(shard: string, change: Change) {
    const rows = change.outbox ?? [];
    const here = local?.size ? rows.filter(({ topic }) => local.has(topic)) : [];
    if (here.length === 0) return { reply: await outbox.commit(shard, change), invokes: [] };
    const reply = await outbox.commit(shard, { ...change, outbox: rows.filter((row) => !here.includes(row)) });
    return { reply, invokes: reply.outcome === "ok" ? here.map(({ message }) => message as unknown as Message) : [] };
  }

  function begin(invoke: Message): void {
    background(answered(invoke));
  }

  async function answered(invoke: Message): Promise<void> {
    const answer = await local?.get(invoke.topic)?.answer(invoke, stopping);
    if (!answer) return handBack(invoke);
    // As after the loss of a message, the call's timer finds the answer of a write in its ledger, and makes a read again.
    if (!(await take(answer)))
      log.warn({ callId: invoke.correlationId }, "the answer of a local call could not be joined; its timer makes up for it");
  }

  async function handBack(invoke: Message): Promise<void> {
    if (!stopping.aborted && local?.has(invoke.topic)) return;
    await publish(invoke).catch((error: unknown) =>
      log.info({ error, callId: invoke.correlationId }, "a call could not be given back to the bus; its timer makes it again"),
    );
  }
}
