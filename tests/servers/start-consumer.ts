import { fork } from "node:child_process";
import { once } from "node:events";
import type { Disposition } from "@toolbus/bus";
import { ACK, record } from "@toolbus/bus/conformance";

/** A consumer of "orders" in a separate process, which a test can freeze or kill. */
export interface ConsumerProcess extends AsyncDisposable {
  /** Resolves when the process has reported exactly this. */
  said(word: object): Promise<unknown>;
  signal(signal: NodeJS.Signals): void;
  /** Ends all handlers, the running ones and later ones. */
  goOn(): void;
}

export interface ConsumerOptions {
  /** The address of the bus, with its namespace. */
  readonly url: string;
  readonly concurrency?: number;
  /** The times of a bus on NATS. */
  readonly timings?: object;
  /** How the process settles each delivery. */
  readonly verdict?: Disposition;
  readonly patienceMs: number;
}

/** Starts the process, and resolves when deliveries may arrive. */
export async function startConsumer(options: ConsumerOptions): Promise<ConsumerProcess> {
  const { url, concurrency = 1, timings = {}, verdict = ACK, patienceMs } = options;
  const args = [url, JSON.stringify(timings), String(concurrency), JSON.stringify(verdict)];
  const child = fork(new URL("./consumer-child.ts", import.meta.url), args, { env: {} });
  const gone = once(child, "exit");
  const words = record<unknown>({ patienceMs });
  child.on("message", words.add);
  const said = (word: object) =>
    words.until(JSON.stringify(word), (all) => all.some((one) => JSON.stringify(one) === JSON.stringify(word)));
  await said({ ready: true });
  return {
    said,
    signal: (signal) => void child.kill(signal),
    goOn: () => void child.send("go on"),
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await gone;
    },
  };
}
