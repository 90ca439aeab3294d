import type { Mutations } from "../mutation.ts";

/** The mutations of the rows K. */
export const contextWindowMutations: Mutations = {
  "K-03": {
    breaks: "changes are forgotten before look-ups",
    patches: [
      {
        file: "services/agent/src/context/importance.ts",
        find: "if (head.calls.some(({ name, tool = name }) => isWrite(tool))) return 0.9;",
        replace: "if (head.calls.some(({ name, tool = name }) => isWrite(tool))) return 0;",
      },
    ],
  },
  "K-05": {
    breaks: "no tenth of the window is left free",
    patches: [{ file: "services/agent/src/context/budget.ts", find: "const MARGIN = 0.1;", replace: "const MARGIN = 0.01;" }],
  },
  "K-01": {
    breaks: "the oldest part of a conversation is kept",
    patches: [
      {
        file: "services/agent/src/context/truncation.ts",
        find: "return units.map((_, n) => n >= from || required[n] === true);",
        replace: "return units.map((_, n) => n < units.length - from || required[n] === true);",
      },
    ],
  },
  "K-02": {
    breaks: "the model summarises the part that it sees anyway, not the removed one",
    patches: [
      {
        file: "services/agent/src/context/summary-due.ts",
        find: "const dropped = units.filter((_, n) => !selected?.[n]);",
        replace: "const dropped = units.filter((_, n) => selected?.[n]);",
      },
    ],
  },
  "K-04": {
    breaks: "of a turn with several calls only the first result stays with it",
    patches: [
      {
        file: "services/agent/src/context/units.ts",
        find: 'if (numbered.entry.type === "result" && last) {',
        replace: 'if (numbered.entry.type === "result" && last && last.entries.length < 2) {',
      },
    ],
  },
};
