import { type AskedProcess, startAsked } from "../asked-process.ts";
import { pairedSlices } from "../paired-slices.ts";
import { type Row, rounded, rowOf } from "../row.ts";
import { tableWith } from "../table.ts";
import type { AdapterQuestion, ClientName } from "./adapter-process.ts";
import { type Ground, SLICE_MS } from "./ground.ts";

/** One call of an adapter, compared with the same call made in another way. Times are in milliseconds. */
export interface AdapterRow extends Omit<Row, "cpuMsPer"> {
  /** The processor time of a call, summed over all threads of its process. */
  readonly cpuMs: number;
  readonly bareCpuMs: number;
  readonly cpuRatio: number;
}

const PAIRS: readonly { readonly ours: ClientName; readonly theirs: ClientName }[] = [
  { ours: "OpenAI adapter", theirs: "fetch, chat completions" },
  { ours: "OpenAI adapter", theirs: "openai SDK" },
  { ours: "Anthropic adapter", theirs: "fetch, messages" },
];

const PROCESS = new URL("adapter-process.ts", import.meta.url);
/**
 * Measures one call of each adapter that can use the stub, against the same stream read in another way. Each side has its own process and makes
 * `batch` calls in a row.
 */
export async function adapterRows(ground: Ground, batch: number): Promise<readonly AdapterRow[]> {
  const rows: AdapterRow[] = [];
  for (const { ours, theirs } of PAIRS)
    rows.push(await withClient(ours, ground, (subject) => withClient(theirs, ground, (bare) => adapterRow(subject, bare, ground, batch))));
  return rows;
}

/** Returns the rows of adapters as text for a terminal. */
export function tableOfAdapters(rows: readonly AdapterRow[]): string {
  return tableWith(
    [
      { head: "one model call", cell: ({ name }) => name },
      { head: "p50 ms", cell: ({ p50Ms }) => String(p50Ms) },
      { head: "against", cell: ({ bareP50Ms }) => String(bareP50Ms) },
      { head: "times (quartiles)", cell: ({ ratio, quartiles: [low, high] }) => `${ratio} (${low} to ${high})` },
      { head: "CPU ms", cell: ({ cpuMs }) => String(cpuMs) },
      { head: "against", cell: ({ bareCpuMs }) => String(bareCpuMs) },
      { head: "times", cell: ({ cpuRatio }) => String(cpuRatio) },
    ],
    rows,
  );
}

async function adapterRow(ours: Client, theirs: Client, { conditions }: Ground, batch: number): Promise<AdapterRow> {
  for (const side of [ours, theirs]) {
    await side.turns(4 * batch);
    await side.begin();
  }
  const paired = await pairedSlices({
    subject: () => ours.turns(batch),
    bare: () => theirs.turns(batch),
    sliceMs: SLICE_MS / 4,
    ...conditions,
  });
  const [cpuMs, bareCpuMs] = [await ours.cpuMsEach(), await theirs.cpuMsEach()];
  const { cpuMsPer: _ofThisProcess, ...row } = rowOf(`${ours.name}, against ${theirs.name}`, paired, batch);
  return { ...row, cpuMs: rounded(cpuMs), bareCpuMs: rounded(bareCpuMs), cpuRatio: rounded(cpuMs / bareCpuMs) };
}

interface Client {
  readonly name: ClientName;
  turns(count: number): Promise<void>;
  /** Starts to count processor time. */
  begin(): Promise<void>;
  cpuMsEach(): Promise<number>;
}

async function withClient<T>(name: ClientName, { modelUrl, conditions }: Ground, use: (client: Client) => Promise<T>): Promise<T> {
  conditions.signal.throwIfAborted();
  const asked = startAsked<AdapterQuestion>(PROCESS);
  try {
    await asked.ask({ kind: "begin", name, modelUrl });
    return await use(clientOf(name, asked));
  } finally {
    await asked.stop();
  }
}

function clientOf(name: ClientName, asked: AskedProcess<AdapterQuestion>): Client {
  let made = 0;
  let since = 0;
  const cpuMs = async (): Promise<number> => ((await asked.ask({ kind: "cpu" })) as { readonly cpuMs: number }).cpuMs;
  return {
    name,
    async turns(count) {
      await asked.ask({ kind: "turns", count });
      made += count;
    },
    async begin() {
      made = 0;
      since = await cpuMs();
    },
    cpuMsEach: async () => ((await cpuMs()) - since) / made,
  };
}
