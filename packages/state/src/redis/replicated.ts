import { StoreUnavailable } from "../state-store.ts";
import type { RedisConnection } from "./redis-connection.ts";

const WAIT_MS = 200;

/**
 * Returns a function that resolves when the given number of replicas have everything that this connection wrote before. The command WAIT blocks its
 * connection, so one WAIT serves all requests that arrive while another WAIT is pending. The function throws `StoreUnavailable` if fewer replicas
 * have the data after 200 ms. The data may still reach them.
 */
export function replicated({ command }: Pick<RedisConnection, "command">, replicas: number, shown: string): () => Promise<void> {
  let underWay: Promise<void> | null = null;
  let next: Promise<void> | null = null;
  return () => {
    next ??= after(underWay);
    return next;
  };

  async function after(previous: Promise<void> | null): Promise<void> {
    await previous?.catch(() => undefined);
    underWay = next;
    next = null;
    const reached = Number(await command("wait", [replicas, WAIT_MS]));
    if (reached >= replicas) return;
    throw new StoreUnavailable(`${shown} has the write on ${reached} replicas after ${WAIT_MS} ms, not on ${replicas}: repeat it.`, {
      fault: "replicas",
    });
  }
}
