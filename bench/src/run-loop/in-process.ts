import { type Goal, goal, type Target } from "../goal.ts";
import { quantile } from "../row.ts";
import { contest } from "./contest.ts";
import { type Aims, type Ground, withLoop } from "./ground.ts";
import type { Tools } from "./loop.ts";
import type { RoundTrace } from "./round-trace.ts";

// docs/performance.md gives the sources of the targets.
const AIMS: Aims = { speed: 0.36, cpu: 2.9 };
const TRIPS: Target = { name: "round trips to Redis in series, a round", is: "at most", target: 1 };
const BYTES: Target = { name: "bytes written to Redis in round 20, against round 2", is: "at most", target: 1.1 };

/** The number of rounds of the traced run. Its last round shows which requests grow. */
const TRACED_ROUNDS = 21;

export interface InProcess {
  readonly rows: readonly Goal[];
  /** The names of the round trips of a usual round. */
  readonly note: string;
}

/** Measures runs with all parts in one process. Also traces the requests of one run to its store. */
export async function inProcess(ground: Ground): Promise<InProcess> {
  const tools: Tools = { kind: "here" };
  return withLoop("toolbus", tools, ground, async (ours) => {
    const speed = await contest("tools in process", () => tools, AIMS, ours, ground);
    const traces = await ours.trace(TRACED_ROUNDS);
    const [second, twentieth] = [roundOf(traces, 2), roundOf(traces, 20)];
    const usual = usualRound(traces);
    const trips = usual.inSeries.length;
    return {
      rows: [
        ...speed,
        goal(TRIPS, { ours: trips, theirs: 1, unit: "round trips" }),
        goal(BYTES, { ours: twentieth.bytes, theirs: second.bytes, unit: "bytes" }),
      ],
      note: `Of ${trips} round trips in series a round: ${usual.inSeries.join("; ")}.`,
    };
  });
}

/** Returns the trace of the store's work from the model's reply in this round to the next model call. */
function roundOf(traces: readonly RoundTrace[], round: number): RoundTrace {
  const trace = traces[round - 1];
  if (!trace) throw new Error(`a run of ${TRACED_ROUNDS} rounds had no round ${round}`);
  return trace;
}

/** Returns a round with the median number of round trips. The first round is left out, because it makes requests that later rounds do not make. */
function usualRound(traces: readonly RoundTrace[]): RoundTrace {
  const later = traces.slice(1).toSorted((a, b) => a.inSeries.length - b.inSeries.length);
  const lengths = later.map(({ inSeries }) => inSeries.length);
  return later.find(({ inSeries }) => inSeries.length >= quantile(lengths, 0.5)) ?? roundOf(traces, 2);
}
