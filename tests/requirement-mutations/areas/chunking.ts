import type { Mutations } from "../mutation.ts";

/** The mutations of the rows C. */
export const chunkingMutations: Mutations = {
  "C-02": {
    breaks: "text is cut wherever the longest chunk ends",
    patches: [
      {
        file: "services/agent/src/memory/chunk-text.ts",
        find: "const best = wholeEnd(text, cuts.best(lo, hi));",
        replace: "const best = wholeEnd(text, cuts.best(hi, hi));",
      },
    ],
  },
  "C-03": {
    breaks: "chunks may be half as long as their minimum",
    patches: [
      {
        file: "services/agent/src/memory/chunk-text.ts",
        find: "const LEAST_CHUNK_CHARS = 20_000;",
        replace: "const LEAST_CHUNK_CHARS = 10_000;",
      },
    ],
  },
  "C-08": {
    breaks: "every model gets as many characters as the largest",
    patches: [
      {
        file: "services/agent/src/memory/take-result.ts",
        find: "chars: limits.resultChars ?? capabilities.resultChars,",
        replace: "chars: limits.resultChars ?? Math.max(capabilities.resultChars, 64_000),",
      },
    ],
  },
  "C-01": {
    breaks: "a result may be twice as long before it is chunked",
    patches: [
      { file: "packages/models/src/facts/model-facts.ts", find: "  resultChars: 64_000,", replace: "  resultChars: 128_000," },
      {
        file: "packages/models/src/facts/model-table.ts",
        find: "export const RESULT_CHARS = 64_000;",
        replace: "export const RESULT_CHARS = 128_000;",
      },
      { file: "packages/models/src/offline/offline-model.ts", find: "      resultChars: 64_000,", replace: "      resultChars: 128_000," },
    ],
  },
  "C-05": {
    breaks: "the outline has no levels",
    patches: [
      {
        file: "services/agent/src/memory/result-index.ts",
        find: '`${"  ".repeat(level - 1)}- ${title} (chunk ${chunk})`',
        replace: '`${"  ".repeat(level - level)}- ${title} (chunk ${chunk})`',
      },
    ],
  },
  "C-06": {
    breaks: "a key with a slash is read in the conversation's own namespace, whatever it names",
    patches: [
      {
        file: "services/agent/src/memory/working-keys.ts",
        find: '  if (key.includes("/") && !key.startsWith(own)) return { kind: "foreign" };\n  const name = key.includes("/") ? key.slice(own.length) : key;',
        replace: '  const name = key.slice(key.lastIndexOf("/") + 1);',
      },
    ],
  },
  "C-07": {
    breaks: "the notice gives the number of kept characters instead of the total",
    patches: [
      {
        file: "packages/contracts/src/cut-text.ts",
        find: "return `${head}${leftOut(text.length - head.length)}`;",
        replace: "return `${head}${leftOut(head.length)}`;",
      },
    ],
  },
  "C-09": {
    breaks: "a conversation that is too long for the provider is sent again unchanged",
    patches: [
      {
        file: "services/agent/src/context/plan-context.ts",
        find: "budget: tighter(budget, history), maySummarise: false",
        replace: "budget, maySummarise: false",
      },
    ],
  },
};
