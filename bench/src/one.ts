import { onGround, withLoop } from "./run-loop/ground.ts";
const signal = new AbortController().signal;
await onGround(null, { signal } as never, { count: 1, inFlight: 1 }, null, async (ground) =>
  withLoop("toolbus", { kind: "here" }, ground, async (loop) => { await loop.runs(Number(process.argv[2] ?? 1), 5, Number(process.argv[3] ?? 1)); for (const t of await loop.trace(5)) console.log(t.inSeries.join("; "), t.bytes); }));
