import type { Mutant } from "./mutant.ts";

/** Mutants of the gateway, which must send each committed event once and in order. */
export const streams: readonly Mutant[] = [
  {
    name: "no stream is told",
    breaks: "a gateway reads the log of a run and sends none of it",
    within: 60,
    patches: [
      {
        file: "services/gateway/src/stream/stream-run.ts",
        find: "return writer.send(bytes) && !isRunEnd(event);",
        replace: "return bytes.length > 0 && !isRunEnd(event);",
      },
    ],
  },
  {
    name: "appends not heard",
    breaks: "an open stream does not learn that its run's log has grown",
    within: 60,
    patches: [
      {
        file: "services/gateway/src/stream/feed.ts",
        find: "for (const listener of run.listeners) listener.onAppend();",
        replace: "",
      },
    ],
  },
  {
    name: "an event skipped after a cut",
    breaks: "a client that reconnects gets the events from the one after the next",
    within: 60,
    patches: [
      {
        file: "services/gateway/src/stream/event-id.ts",
        find: `return /^\\d{1,15}$/.test(digits) ? Number(digits) : null;`,
        replace: `return /^\\d{1,15}$/.test(digits) ? Number(digits) + 1 : null;`,
      },
    ],
  },
  {
    name: "an event told again after a cut",
    breaks: "a client that reconnects gets the event that it already has",
    within: 60,
    patches: [
      {
        file: "services/gateway/src/stream/event-id.ts",
        find: `return /^\\d{1,15}$/.test(digits) ? Number(digits) : null;`,
        replace: `return /^\\d{1,15}$/.test(digits) ? Math.max(0, Number(digits) - 1) : null;`,
      },
    ],
  },
  {
    name: "a broken feed not made up for",
    breaks: "what was appended while a gateway's feed was broken reaches nobody",
    within: 300,
    patches: [
      {
        file: "services/gateway/src/stream/feed.ts",
        find: "      // While the feed was closed, notifications were missed, so every listener reads again.\n      everyoneLooks();\n",
        replace: "",
      },
    ],
  },
  {
    name: "one look at a time",
    breaks: "what is appended while a stream reads is not looked for",
    within: 4000,
    patches: [
      {
        file: "services/gateway/src/stream/stream-run.ts",
        find: "    again = true;\n    reading ??= read();",
        replace: "    if (reading) return reading;\n    again = true;\n    reading ??= read();",
      },
    ],
  },
];
