// A loop, or the worker of a loop, in a separate process.
import { answerQuestions } from "../asked-process.ts";
import { handLoop } from "./hand-loop.ts";
import type { Loop, LoopPlace } from "./loop.ts";
import { type ToolbusLoop, toolbusLoop, toolbusWorker } from "./toolbus-loop.ts";

export type LoopQuestion =
  | { readonly kind: "begin"; readonly part: "toolbus" | "toolbus worker" | "by hand"; readonly place: LoopPlace }
  /** Makes `count` runs of `rounds` rounds each, with `inFlight` runs in flight at any time. */
  | { readonly kind: "runs"; readonly count: number; readonly rounds: number; readonly inFlight: number }
  | { readonly kind: "trace"; readonly rounds: number }
  /** Asks how much processor time the process has used, in milliseconds. */
  | { readonly kind: "cpu" };

let loop: Loop | null = null;
let traced: ToolbusLoop | null = null;
let stop = async (): Promise<void> => undefined;

answerQuestions<LoopQuestion>(
  async (question) => {
    switch (question.kind) {
      case "begin":
        await begin(question);
        return {};
      case "runs":
        await runs(question);
        return {};
      case "trace":
        return { traces: (await traced?.trace(question.rounds)) ?? [] };
      case "cpu": {
        const { user, system } = process.cpuUsage();
        return { cpuMs: (user + system) / 1000 };
      }
    }
  },
  () => stop(),
);

async function begin({ part, place }: LoopQuestion & { readonly kind: "begin" }): Promise<void> {
  const begun = part === "toolbus worker" ? await toolbusWorker(place) : (loop = await loopOf(part, place));
  stop = () => begun.stop();
}

async function loopOf(part: "toolbus" | "by hand", place: LoopPlace): Promise<Loop> {
  if (part === "by hand") return handLoop(place);
  traced = await toolbusLoop(place);
  return traced;
}

async function runs({ count, rounds, inFlight }: LoopQuestion & { readonly kind: "runs" }): Promise<void> {
  const started = loop;
  if (!started) throw new Error("this process runs no loop");
  let left = count;
  await Promise.all(
    Array.from({ length: Math.min(inFlight, count) }, async () => {
      while (left-- > 0) await started.run(rounds);
    }),
  );
}
