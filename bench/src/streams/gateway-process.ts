// The gateway in a separate process, so that the measured memory does not include its clients' memory.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { answerQuestions } from "../asked-process.ts";
import { benchGateway, type BenchGateway, type BenchRun } from "../http/bench-gateway.ts";
import { sampleEvent } from "../http/sample-event.ts";
import { type GatewayQuestion, type Memory, type Pace, STANDSTILL_MS } from "./gateway-host.ts";

interface Hosted {
  readonly gateway: BenchGateway;
  readonly directory: string;
}

const hosted = host();
const runs: BenchRun[] = [];
let peak = 0;

answerQuestions<GatewayQuestion>(
  async (question) => {
    const { gateway } = await hosted;
    if (question.kind === "key") return { apiKey: gateway.apiKey };
    if (question.kind === "memory") return memory();
    if (question.kind === "publish") return publish(question.run, question.pace);
    const run = await gateway.newRun();
    return { run: runs.push(run) - 1, events: run.events };
  },
  async () => {
    const { gateway, directory } = await hosted;
    await gateway.stop();
    await rm(directory, { recursive: true, force: true });
  },
);

async function host(): Promise<Hosted> {
  const directory = await mkdtemp(path.join(tmpdir(), "toolbus-bench-"));
  const gateway = await benchGateway({
    directory,
    stateUrl: `sqlite:${path.join(directory, "state")}`,
    env: { SSE_PING_MS: String(STANDSTILL_MS) },
  });
  return { gateway, directory };
}

/** Appends events at a pace. Each event contains the time at which it was appended. */
async function publish(run: number, { perSecond, seconds, bytes }: Pace): Promise<object> {
  const target = runs[run];
  if (!target) throw new Error(`there is no run ${run}`);
  const begin = performance.now();
  let said = 0;
  for (; said < perSecond * seconds; said++) {
    const early = begin + (said * 1000) / perSecond - performance.now();
    if (early > 0) await new Promise((resolve) => setTimeout(resolve, early));
    await target.say([sampleEvent(performance.timeOrigin + performance.now(), bytes)]);
    peak = Math.max(peak, process.memoryUsage.rss());
  }
  return { said };
}

function memory(): Memory {
  globalThis.gc?.();
  const { rss } = process.memoryUsage();
  const most = Math.max(peak, rss);
  peak = 0;
  return { rss, peak: most };
}
