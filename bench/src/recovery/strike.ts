import type { Apart, Replica } from "@toolbus/all-in-one";

/** What happens to a process. A killed process is started again at once, as Kubernetes does. A frozen process is killed after the measurement. */
export type Fault = "SIGKILL" | "SIGSTOP";

/**
 * Strikes a replica, and measures meanwhile. `measure` gets the moment of the strike on the clock of `performance.now()`. Resolves when the replica
 * runs again.
 */
export async function strike<T>(apart: Apart, replica: Replica, fault: Fault, measure: (at: number) => Promise<T>): Promise<T> {
  const at = performance.now();
  process.kill(replica.process.pid, fault);
  const restarted = fault === "SIGKILL" ? restart() : null;
  try {
    return await measure(at);
  } finally {
    await (restarted ?? restart());
  }

  async function restart(): Promise<void> {
    await replica.process.kill();
    await apart.restart(replica.service, replica.number);
  }
}

/** Returns the replica of a service that runs in this process. */
export function replicaWith(apart: Apart, pid: number): Replica {
  const found = apart.replicas().find(({ process: running }) => running.pid === pid);
  if (!found) throw new Error(`no replica runs in the process ${pid}`);
  return found;
}
