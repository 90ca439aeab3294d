// One contender in a separate process.
import { answerQuestions } from "../asked-process.ts";
import type { Loop } from "../run-loop/loop.ts";
import { type ContenderName, contenders } from "./contenders.ts";
import type { RoundPlace } from "./round.ts";

export type RoundQuestion =
  | { readonly kind: "begin"; readonly name: ContenderName; readonly place: RoundPlace }
  /** Makes `count` runs of `rounds` rounds each, with `inFlight` runs in flight at any time. */
  | { readonly kind: "runs"; readonly count: number; readonly rounds: number; readonly inFlight: number }
  /** Stops the contender and removes its data from every server. */
  | { readonly kind: "end" };

/** Turns off the traces, the usage statistics and the warnings of the measured libraries. */
const QUIET = {
  AI_SDK_LOG_WARNINGS: "false",
  DBOS__CLOUD: "false",
  DO_NOT_TRACK: "1",
  LANGCHAIN_TRACING_V2: "false",
  LANGSMITH_TRACING: "false",
  MASTRA_TELEMETRY_DISABLED: "1",
  OPENAI_AGENTS_DISABLE_TRACING: "1",
  OTEL_SDK_DISABLED: "true",
};

let loop: Loop | null = null;
let remove = async (): Promise<void> => undefined;

answerQuestions<RoundQuestion>(
  async (question) => {
    switch (question.kind) {
      case "begin":
        await begin(question);
        break;
      case "runs":
        await runs(question);
        break;
      case "end":
        await end();
        break;
    }
    return {};
  },
  // Runs when the parent has disconnected. Does nothing if the parent has already asked for the end.
  end,
);

async function begin({ name, place }: RoundQuestion & { readonly kind: "begin" }): Promise<void> {
  Object.assign(process.env, QUIET);
  // Deprecation warnings about how libraries use one another do not help the readers of the figures.
  process.noDeprecation = true;
  const contender = await contenders[name]();
  remove = async () => contender.remove?.(place);
  loop = await contender.open(place);
}

async function runs({ count, rounds, inFlight }: RoundQuestion & { readonly kind: "runs" }): Promise<void> {
  const started = loop;
  if (!started) throw new Error("this process runs no loop");
  let left = count;
  await Promise.all(
    Array.from({ length: Math.min(inFlight, count) }, async () => {
      while (left-- > 0) await started.run(rounds);
    }),
  );
}

async function end(): Promise<void> {
  const [stopping, removing] = [loop, remove];
  loop = null;
  remove = async () => undefined;
  await stopping?.stop();
  await removing();
}
