import { randomBytes } from "node:crypto";
import { offerTools } from "@toolbus/agent";
import { memoryBus } from "@toolbus/bus";
import { HOME_SHARD, keyOf, keys } from "@toolbus/contracts";
import { generateSigningKey, publicKeySet, signerOf, staticKeySet } from "@toolbus/grants";
import { memoryStore, type StateStore } from "@toolbus/state";
import { silentLog } from "@toolbus/telemetry";
import { knownServices, readRegistry, registerToolset, searchServices, SERVICE_TOOLS, startWorker, type Toolset } from "@toolbus/tool-kit";
import type { Conditions, Results } from "../benchmark.ts";
import { measured } from "../contest.ts";
import { type Goal, goal, tableOfGoals } from "../goal.ts";
import { type Measured, pairedSlices, type Work } from "../paired-slices.ts";
import { quantile, rounded, type Row, rowOf } from "../row.ts";
import { tableOf } from "../table.ts";
import { bridgeCall } from "./bridge-call.ts";
import { manyTools, oneToolset } from "./many-tools.ts";
import { serverStarts } from "./server-start.ts";

export interface Sizes {
  readonly few: number;
  readonly many: number;
}

const SIZES: Sizes = { few: 100, many: 1000 };
/** The number of tools of one MCP server. */
const TOOLS_EACH = 20;
const SLICE_MS = 250;
const MOST_SEARCH_MS = 5;
/** The number of searches before the first one that is measured. */
const WARM_UP = 1000;
const MANY_CALLS = 32;
/** How much a run's choice may grow for ten times as many tools: half as much. */
const CHOICE_SHARE = 0.5;

/**
 * Measures what many tools cost: the start of the bridge with real MCP servers, the start of a worker, the choice of a run's tools, and one search. It compares a registry with many tools to one with
 * few. The processor time must grow less than the number of tools. It also compares a call through the bridge with a call by the SDK. State is in memory, so no
 * disk is measured.
 */
export async function tools(conditions: Conditions, { few, many }: Sizes = SIZES): Promise<Results> {
  const [small, large] = await Promise.all([openTools(few), openTools(many)]);
  const growth = (name: string, share = 1) =>
    ({ name: `${name}, ${many} tools against ${few}`, is: "at most", target: (share * many) / few }) as const;
  const key = await generateSigningKey();
  try {
    const compared = async (name: string, work: (of: Opened) => Work, share?: number): Promise<Goal> => {
      const { subject, bare } = await pairedSlices({ ...conditions, subject: work(large), bare: work(small), sliceMs: SLICE_MS });
      return goal(growth(name, share), { ours: cpuMsEach(subject), theirs: cpuMsEach(bare), unit: "ms" });
    };
    const search = await searchTimes(large, conditions, many);
    const starts = await serverStarts({ few: Math.ceil(few / TOOLS_EACH), many: Math.ceil(many / TOOLS_EACH) }, conditions);
    const rows = [
      starts.goal,
      await compared(
        "a worker's start",
        ({ bridge }) =>
          () =>
            started(bridge, key),
      ),
      await compared(
        "a run's choice, with the read of the registry",
        ({ state }) =>
          () =>
            chosen(state),
        CHOICE_SHARE,
      ),
      await compared("a run's choice after a commit that changed no tool", ({ state }) => async () => {
        await touched(state);
        await chosen(state);
      }),
      await compared("a run's choice after the heartbeat of a service", ({ state, beat }) => async () => {
        await beat();
        await chosen(state);
      }),
      await compared(
        "a search, with the read of the registry",
        ({ state }) =>
          () =>
            searched(state),
      ),
      search.goal,
    ];
    const calls = [await calledThrough(1, conditions), await calledThrough(MANY_CALLS, conditions)];
    return { rows: [...rows, ...calls], table: `${tableOfGoals(rows)}\n\n${tableOf(calls)}`, notes: [starts.note, search.note] };
  } finally {
    await Promise.all([small.state.close(), large.state.close()]);
  }
}

/** Compares a call through the bridge with the same call by the SDK's client. */
async function calledThrough(inFlight: number, conditions: Conditions): Promise<Row> {
  const paired = await measured({ sliceMs: SLICE_MS, open: () => bridgeCall(inFlight) }, conditions);
  return rowOf(`a call through the bridge, ${inFlight} in flight`, paired, inFlight);
}

/** Returns the processor time of one piece of work. Other programs interrupt a long piece more often than a short one, so wall time would not compare. */
function cpuMsEach({ cpuMs, latencies }: Measured): number {
  return cpuMs / latencies.length;
}

interface Opened {
  /** All tools as the one toolset of a bridge. */
  readonly bridge: Toolset;
  /** A store in which the tools are registered, in toolsets of 20. */
  readonly state: StateStore;
  /** Makes the heartbeat of one service, which changes the documents of its 20 tools. */
  beat(): Promise<void>;
}

async function openTools(count: number): Promise<Opened> {
  const state = memoryStore({ clock: () => 1 });
  const services = manyTools(count);
  for (const one of services) await registerToolset(state, one);
  return { bridge: oneToolset(count), state, beat: () => beat(state, services[0]) };
}

/** Writes the registrations of a service's tools again, as its heartbeat does. */
async function beat(state: StateStore, service: Toolset | undefined): Promise<void> {
  const names = (service?.list() ?? []).map(({ definition: { name, version } }) => keys.registration(service?.name ?? "", name, version));
  const { documents } = await state.read(names);
  const versions = names.map((key, n) => ({ key, version: documents[n]?.version ?? 0 }));
  const put = names.map((key, n) => ({ key, value: documents[n]?.value ?? null }));
  await state.commit(HOME_SHARD, { op: `beat ${++commits}`, guards: versions, put });
}

/** Starts a worker with the tools on an empty bus and store, as the bridge does when its servers have listed their tools, and stops it. */
async function started(bridge: Toolset, key: Awaited<ReturnType<typeof generateSigningKey>>): Promise<void> {
  const clock = (): number => 1;
  const bus = memoryBus({ clock });
  const state = memoryStore({ clock });
  const worker = await startWorker({
    toolset: bridge,
    bus,
    state,
    keys: staticKeySet(publicKeySet([key])),
    signer: await signerOf(key),
    log: silentLog,
    clock,
    monotonic: () => performance.now(),
    random: (bytes) => randomBytes(bytes),
  });
  await worker.stop();
  await bus.close();
  await state.close();
}

let message = 0;

/** Returns messages that differ, so that no result of an earlier one can be used again. */
function nextMessage(): string {
  const things = ["invoice", "ticket", "shipment", "contract"];
  return `Please find the ${things[message++ % things.length]} A-${message} in the warehouse and assign it to the owner of board ${message % 50}.`;
}

/** The agent passes the same function while no flag changes. */
const ON = (): null => null;

let commits = 0;

/** Makes a commit in the shard of the registry, as a heartbeat or a run of this shard does. */
async function touched(state: StateStore): Promise<void> {
  const key = keyOf("profile", HOME_SHARD, "touched");
  const { documents } = await state.read([key]);
  await state.commit(HOME_SHARD, {
    op: `touch ${++commits}`,
    guards: [{ key, version: documents[0]?.version ?? 0 }],
    put: [{ key, value: commits }],
  });
}

async function chosen(state: StateStore): Promise<void> {
  const about = nextMessage();
  const { tools: some, choice } = offerTools({
    profile: {
      name: "bench",
      tools: "all",
      limits: { maxRounds: 5, activeMs: 1000, maxTools: 12, maxTokens: 100 },
      seedCalls: [],
      report: null,
    },
    registrations: await readRegistry(state),
    now: 1,
    off: ON,
    rights: { scopes: [] },
    model: { name: "openai", dialect: "openai" },
    about,
  });
  if (some.length !== 12 || !choice?.services?.length) throw new Error(`${some.length} tools were chosen, and no service.`);
}

async function searched(state: StateStore): Promise<void> {
  if (searchServices(knownServices(await readRegistry(state), 1, SERVICE_TOOLS), nextMessage()).length === 0)
    throw new Error("Nothing was found.");
}

interface SearchTimes {
  readonly goal: Goal;
  readonly note: string;
}

/** Measures the search alone, over services that are read already. */
async function searchTimes({ state }: Opened, { seconds, stopwatch, signal }: Conditions, many: number): Promise<SearchTimes> {
  const services = knownServices(await readRegistry(state), 1, SERVICE_TOOLS);
  const wall: number[] = [];
  const cpu: number[] = [];
  for (let n = 0; n < WARM_UP; n++) searchServices(services, nextMessage());
  for (const end = stopwatch.now() + seconds * 1000; wall.length < WARM_UP || stopwatch.now() < end;) {
    signal.throwIfAborted();
    const [before, used] = [stopwatch.now(), stopwatch.cpuMs()];
    searchServices(services, nextMessage());
    cpu.push(stopwatch.cpuMs() - used);
    wall.push(stopwatch.now() - before);
  }
  const of = (times: readonly number[], share: number): number =>
    rounded(
      quantile(
        times.toSorted((a, b) => a - b),
        share,
      ),
    );
  const name = `p99 of a search over ${many} tools, against ${MOST_SEARCH_MS} ms`;
  return {
    goal: goal({ name, is: "at most", target: 1 }, { ours: of(cpu, 0.99), theirs: MOST_SEARCH_MS, unit: "ms" }),
    note: `The figures of this table are processor time, except for the start of the bridge, which is wall time. A search over ${many} tools took ${of(wall, 0.5)} ms (p50) and ${of(wall, 0.99)} ms (p99) of wall time.`,
  };
}
