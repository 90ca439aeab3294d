import type { Mutant } from "./mutant.ts";

/** A gateway that does not tell, once and in order, what was committed. */
export const streams: readonly Mutant[] = [
  {
    name: "no stream is told",
    breaks: "a gateway reads the log of a run and sends nothing of it",
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
    breaks: "a stream that is open is not told that its run's log has grown",
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
    breaks: "a client that comes back is told from the event after the next",
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
    breaks: "a client that comes back is told the event that it has",
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
    breaks: "what was appended while a gateway's feed was broken is told to nobody",
    within: 300,
    patches: [
      {
        file: "services/gateway/src/stream/feed.ts",
        find: "      // Notifications in between were missed.\n      everyoneLooks();\n",
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
