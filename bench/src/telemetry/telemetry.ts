import { startAsked } from "../asked-process.ts";
import type { Conditions } from "../benchmark.ts";
import { measured } from "../contest.ts";
import { type Row, rowOf } from "../row.ts";
import type { CallQuestion } from "./called-process.ts";
import { startCollector } from "./collector.ts";

const PROCESS = new URL("called-process.ts", import.meta.url);
const SLICE_MS = 250;

// Each question asks for so many calls that the cost of the question itself does not matter.
const CONTESTS = [
  { name: "read call", kind: "read", times: 200 },
  { name: "write call", kind: "write", times: 20 },
] as const;

/** Measures the cost of telemetry. It compares calls in a process with telemetry with the same calls in a process without telemetry. */
export async function telemetry(conditions: Conditions): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const { name, kind, times } of CONTESTS) {
    const paired = await measured({ sliceMs: SLICE_MS, open: () => open({ kind, times }) }, conditions);
    rows.push(rowOf(name, paired, times));
  }
  return rows;
}

async function open(question: CallQuestion & { readonly kind: "read" | "write" }) {
  const collector = await startCollector();
  const on = startAsked<CallQuestion>(PROCESS);
  const off = startAsked<CallQuestion>(PROCESS);
  await Promise.all([on.ask({ kind: "begin", collector: collector.url }), off.ask({ kind: "begin", collector: null })]);
  return {
    subject: async () => void (await on.ask(question)),
    bare: async () => void (await off.ask(question)),
    async stop() {
      await Promise.all([on.stop(), off.stop()]);
      const sent = collector.bytes();
      await collector.stop();
      if (sent === 0) throw new Error("telemetry was on and nothing was sent: the comparison would be of nothing");
    },
  };
}
