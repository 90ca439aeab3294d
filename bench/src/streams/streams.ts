import { setTimeout } from "node:timers/promises";
import type { Conditions, Results } from "../benchmark.ts";
import { startReaders } from "../http/readers.ts";
import { quantile } from "../row.ts";
import { type Column, tableWith } from "../table.ts";
import { STANDSTILL_MS, startGatewayHost } from "./gateway-host.ts";

/** The figures of many readers at one gateway. Memory is in MiB, unless the name says KB. Times are in milliseconds. */
export interface StreamsRow {
  readonly name: string;
  readonly readers: number;
  /** The number of events per second that all readers together receive. */
  readonly perSecond: number;
  /** The median time from just before an event's commit to the event's arrival at the reader. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** The number of missing events of all readers together. */
  readonly missing: number;
  readonly rssIdleMb: number;
  /** The memory with every stream open and nothing sent. */
  readonly rssOpenMb: number;
  readonly rssPeakMb: number;
  /** The memory after every stream is closed. */
  readonly rssEndMb: number;
  readonly kbPerReader: number;
  readonly slow: number;
  /** How many of the slow readers the gateway disconnected. */
  readonly slowLetGo: number;
  readonly neverRead: number;
  readonly neverReadLetGo: number;
}

interface Crowd {
  readonly name: string;
  readonly readers: number;
  /** The number of readers that never read. Like the slow readers, they follow another run, which has far more data. */
  readonly neverRead: number;
  readonly slow: number;
}

const CROWDS: readonly Crowd[] = [
  { name: "100 readers", readers: 100, neverRead: 0, slow: 0 },
  { name: "1,000 readers", readers: 1000, neverRead: 0, slow: 0 },
  { name: "1,000, and 20 slow, 20 that never read", readers: 1000, neverRead: 20, slow: 20 },
];
/** The events of a busy run. With its 500 bytes of text, an event is about 700 bytes long. */
const TALK = { perSecond: 20, bytes: 500 };
/** 2.5 MB per second for each reader. The kernel's buffers for a reader that does not read are soon full at this rate. */
const FLOOD = { perSecond: 50, bytes: 50_000 };
const SLOW = { bytesPerSecond: 1_000_000 };

/** Measures the cost of many readers of one run. Also measures whether readers that are slow or never read affect the other readers. */
export async function streams({ seconds, signal }: Conditions): Promise<Results> {
  const rows: StreamsRow[] = [];
  for (const crowd of CROWDS) {
    signal.throwIfAborted();
    rows.push(await measured(crowd, seconds, signal));
  }
  return { rows, table: tableWith(COLUMNS, rows) };
}

const COLUMNS: readonly Column<StreamsRow>[] = [
  { head: "", cell: ({ name }) => name },
  { head: "events/s", cell: ({ perSecond }) => String(perSecond) },
  { head: "p50 ms", cell: ({ p50Ms }) => String(p50Ms) },
  { head: "p99 ms", cell: ({ p99Ms }) => String(p99Ms) },
  { head: "missing", cell: ({ missing }) => String(missing) },
  { head: "KB a reader", cell: ({ kbPerReader }) => String(kbPerReader) },
  { head: "MB idle", cell: ({ rssIdleMb }) => String(rssIdleMb) },
  { head: "open", cell: ({ rssOpenMb }) => String(rssOpenMb) },
  { head: "peak", cell: ({ rssPeakMb }) => String(rssPeakMb) },
  { head: "after", cell: ({ rssEndMb }) => String(rssEndMb) },
  { head: "slow: disconnected", cell: ({ slow, slowLetGo }) => `${slow}: ${slowLetGo}` },
  { head: "never read: disconnected", cell: ({ neverRead, neverReadLetGo }) => `${neverRead}: ${neverReadLetGo}` },
];

async function measured({ name, readers, neverRead, slow }: Crowd, seconds: number, signal: AbortSignal): Promise<StreamsRow> {
  const host = await startGatewayHost();
  const clients = startReaders();
  const stop = async (): Promise<void> => void (await Promise.all([host.stop(), clients.stop()]));
  const aborted = Promise.withResolvers<never>();
  aborted.promise.catch(() => undefined);
  const onAbort = (): void => aborted.reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([measure(), aborted.promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
    await stop();
  }

  async function measure(): Promise<StreamsRow> {
    const [talk, flood] = [await host.newRun(), await host.newRun()];
    const idle = await host.memory();
    const crowd = await clients.open(talk.events, host.apiKey, readers, "reads and times");
    const open = await host.memory();
    const deaf = await clients.open(flood.events, host.apiKey, neverRead, "never reads");
    const slower = await clients.open(flood.events, host.apiKey, slow, SLOW);
    const [said] = await Promise.all([
      talk.publish({ ...TALK, seconds }),
      neverRead + slow > 0 ? flood.publish({ ...FLOOD, seconds }) : Promise.resolve(0),
    ]);
    await crowd.had(said);
    const busy = await host.memory();
    if (neverRead > 0) await setTimeout(2 * STANDSTILL_MS, undefined, { signal });
    const { ages, events } = await crowd.report();
    const slowLetGo = slow - (await slower.report()).open;
    const neverReadLetGo = await deaf.closedByServer();
    for (const group of [crowd, deaf, slower]) await group.close();
    const end = await host.memory();
    const sorted = ages.toSorted((a, b) => a - b);
    return {
      name,
      readers,
      perSecond: Math.round((said * readers) / seconds),
      p50Ms: digits(quantile(sorted, 0.5)),
      p99Ms: digits(quantile(sorted, 0.99)),
      missing: events.reduce((sum, had) => sum + said - had, 0),
      rssIdleMb: mb(idle.rss),
      rssOpenMb: mb(open.rss),
      rssPeakMb: mb(busy.peak),
      rssEndMb: mb(end.rss),
      kbPerReader: digits((open.rss - idle.rss) / 1024 / readers),
      slow,
      slowLetGo,
      neverRead,
      neverReadLetGo,
    };
  }
}

const mb = (bytes: number): number => Math.round(bytes / 1_048_576);
const digits = (value: number): number => Number(value.toPrecision(3));
