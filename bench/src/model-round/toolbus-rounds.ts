import { type LiveEvent, type RunEvent } from "@toolbus/contracts";
import { connectModel, type ModelProvider, noModelSettings } from "@toolbus/models";
import { connectState } from "@toolbus/state";
import { toolbusLoop } from "../run-loop/toolbus-loop.ts";
import { withOption } from "../server-urls.ts";
import { API_KEY, checkAnswer, MODEL, openaiUrl, type RoundContender, type RoundPlace } from "./round.ts";

/**
 * The gateway's core, an agent and a worker in one process, with state on Redis. The agent calls the model through the OpenAI adapter, which is
 * connected as the settings would connect it.
 */
export const toolbusRounds: RoundContender = {
  async open(place) {
    const loop = await toolbusLoop(loopPlace(place), await openaiAdapter(place));
    return {
      async run(rounds) {
        checkAnswer((await loop.ask(rounds)).text, rounds);
      },
      stop: () => loop.stop(),
    };
  },
};

/**
 * The same contender with a reader. A run is finished when its answer has arrived on the reader's own connection to the state store: piece by piece,
 * or in the turn if the model was so fast that the turn came first.
 */
export const toolbusStream: RoundContender = {
  async open(place) {
    const reader = await startReader(place);
    const loop = await toolbusLoop(loopPlace(place), await openaiAdapter(place));
    return {
      async run(rounds) {
        const { runId, text } = await loop.ask(rounds);
        checkAnswer(text, rounds);
        await reader.heard(runId, text);
      },
      async stop() {
        await loop.stop();
        await reader.stop();
      },
    };
  },
};

/** Returns the adapter that `LLM_PROVIDER=openai` and `LLM_BASE_URL` select. */
export function openaiAdapter(place: Pick<RoundPlace, "modelUrl">): Promise<ModelProvider> {
  return connectModel({
    ...noModelSettings,
    provider: "openai",
    model: MODEL,
    keys: { ...noModelSettings.keys, openai: API_KEY },
    baseUrl: openaiUrl(place),
  });
}

function loopPlace({ redisUrl, namespace, modelUrl }: RoundPlace) {
  return { redisUrl, namespace, modelUrl, tools: { kind: "here" } } as const;
}

interface Reader {
  /** Resolves when this text of the run has arrived. */
  heard(runId: string, text: string): Promise<void>;
  stop(): Promise<void>;
}

interface Hearing {
  text: string;
  wanted: string | null;
  readonly whole: PromiseWithResolvers<void>;
}

async function startReader({ redisUrl, namespace }: RoundPlace): Promise<Reader> {
  const state = await connectState(withOption(redisUrl, "namespace", namespace), { clock: () => Date.now() });
  const hearings = new Map<string, Hearing>();
  const stopping = new AbortController();
  const reading = read();
  return {
    async heard(runId, text) {
      const hearing = hearingOf(runId);
      hearing.wanted = text;
      look(hearing);
      await hearing.whole.promise;
      hearings.delete(runId);
    },
    async stop() {
      stopping.abort();
      await reading.catch(() => undefined);
      await state.close();
    },
  };

  async function read(): Promise<void> {
    for await (const item of state.follow({ signal: stopping.signal })) {
      if (item.kind === "gap" || !/^tb:(?:live|events):/.test(item.log)) continue;
      const hearing = hearingOf(item.log.slice(item.log.indexOf("}:") + 2));
      if (item.kind === "append") {
        void readEnd(item.log, item.sequence, hearing);
        continue;
      }
      const event = item.batch as unknown as LiveEvent;
      if (event.type !== "delta") continue;
      hearing.text += event.text;
      look(hearing);
    }
  }

  /** Reads the event that was appended last, which has the whole answer if it ends the run. */
  async function readEnd(log: string, sequence: number, hearing: Hearing): Promise<void> {
    const [entry] = await state.range(log, { after: sequence - 1, limit: 1 });
    const event = entry?.value as unknown as RunEvent | undefined;
    if (event?.type !== "run.completed") return;
    hearing.text = event.text;
    look(hearing);
  }

  function hearingOf(runId: string): Hearing {
    const known = hearings.get(runId) ?? { text: "", wanted: null, whole: Promise.withResolvers<void>() };
    hearings.set(runId, known);
    return known;
  }
}

function look({ text, wanted, whole }: Hearing): void {
  if (text === wanted) whole.resolve();
}
