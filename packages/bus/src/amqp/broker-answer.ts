import { BusUnavailable } from "../message-bus.ts";
import { runWithin } from "../run-within.ts";
import { brokerReply } from "./guarded-channel.ts";

/**
 * Waits for the broker's answer to one or more requests. Rejects with `BusUnavailable` if the broker refuses, the channel is lost, or no answer
 * arrives within `ANSWER_MS`. The error names the purpose of the requests, and quotes the broker's words about a refusal.
 */
export async function brokerAnswer<T>(what: string, over: AbortSignal, work: () => Promise<T>): Promise<T> {
  const ending = await runWithin(ANSWER_MS, over, work);
  switch (ending.kind) {
    case "done":
      return ending.value;
    case "late":
      throw new BusUnavailable(`RabbitMQ did not answer within ${ANSWER_MS} ms (${what}).`);
    case "threw":
      throw asBusUnavailable(ending.thrown, what);
  }
}

const ANSWER_MS = 10_000;

function asBusUnavailable(fault: unknown, what: string): BusUnavailable {
  if (fault instanceof BusUnavailable) return fault;
  const reply = brokerReply(fault);
  return new BusUnavailable(reply ? `RabbitMQ refused ${what}: ${reply}.` : `The channel for ${what} was lost.`, { cause: fault });
}
