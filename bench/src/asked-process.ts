import { fork } from "node:child_process";

/** A child process of the benchmark that answers questions. */
export interface AskedProcess<Q> {
  /** Asks a question. Rejects if the process reports a failure, exits first, or takes longer than two minutes. */
  ask(question: Q): Promise<object>;
  /** Asks the process to exit, and waits until it has exited. Kills the process after 40 s. */
  stop(): Promise<void>;
}

interface Asked<Q> {
  readonly id: number;
  readonly question: Q;
}

type Answer =
  | { readonly id: number; readonly ok: true; readonly value: object }
  | { readonly id: number; readonly ok: false; readonly message: string };

const ANSWER_MS = 120_000;
/** This is longer than the time for which a stopping bus waits for working handlers. */
const STOP_MS = 40_000;

/** Starts one of the benchmark's modules that call `answerQuestions`, as a child process. */
export function startAsked<Q>(module: URL, flags: readonly string[] = []): AskedProcess<Q> {
  const child = fork(module, { stdio: ["ignore", "ignore", "inherit", "ipc"], execArgv: [...process.execArgv, ...flags] });
  const waiting = new Map<number, PromiseWithResolvers<object>>();
  let asked = 0;
  child.on("message", (answer: Answer) => {
    const question = waiting.get(answer.id);
    waiting.delete(answer.id);
    if (answer.ok) question?.resolve(answer.value);
    else question?.reject(new Error(answer.message));
  });
  let over = false;
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve())).then(() => {
    over = true;
    for (const { reject } of waiting.values()) reject(new Error("a process of the benchmark ended too soon"));
  });
  return {
    ask(question) {
      if (over) return Promise.reject(new Error("a process of the benchmark ended too soon"));
      const id = ++asked;
      const answer = Promise.withResolvers<object>();
      waiting.set(id, answer);
      const sent: Asked<Q> = { id, question };
      child.send(sent);
      const late = setTimeout(
        () => answer.reject(new Error(`a process of the benchmark did not answer within ${ANSWER_MS / 1000} s`)),
        ANSWER_MS,
      );
      return answer.promise.finally(() => clearTimeout(late));
    },
    async stop() {
      if (child.connected) child.disconnect();
      const late = setTimeout(() => child.kill("SIGKILL"), STOP_MS);
      await exited;
      clearTimeout(late);
    },
  };
}

/** Answers the parent's questions until the parent disconnects, and then stops and exits. */
export function answerQuestions<Q>(answer: (question: Q) => Promise<object>, stop: () => Promise<void>): void {
  process.on("message", ({ id, question }: Asked<Q>) => {
    answer(question).then(
      (value) => reply({ id, ok: true, value }),
      (error: unknown) => reply({ id, ok: false, message: error instanceof Error ? error.message : String(error) }),
    );
  });
  // An interrupt at the terminal reaches this process too. The parent decides what to do.
  process.on("SIGINT", () => undefined);
  process.on("disconnect", () => void stop().finally(() => process.exit(0)));
}

function reply(answer: Answer): void {
  // The parent may have exited.
  if (process.connected) process.send?.(answer);
}
