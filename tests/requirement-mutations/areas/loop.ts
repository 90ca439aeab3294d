import type { Mutations } from "../mutation.ts";

/** The mutations of the rows L. */
export const loopMutations: Mutations = {
  "L-01": {
    breaks: "the model does not see the results of its calls",
    patches: [
      {
        file: "services/agent/src/steps/model-turn.ts",
        find: "        transcript,\n        tools: offered.map",
        replace: `        transcript: transcript.filter(({ type }) => type !== "result"),\n        tools: offered.map`,
      },
    ],
  },
  "L-02": {
    breaks: "an unconfigured conversation may take ten times as long",
    patches: [{ file: "services/agent/profiles/chat.yaml", find: "activeSeconds: 300,", replace: "activeSeconds: 3000," }],
  },
  "L-03": {
    breaks: "every agent is stopped after five rounds, whatever its own limit is",
    patches: [
      {
        file: "services/agent/src/transitions/end.ts",
        find: "if (run.round > limits.maxRounds)",
        replace: "if (run.round > Math.min(5, limits.maxRounds))",
      },
    ],
  },
  "L-04": {
    breaks: "a seed call reaches a vendor as text, and not as a call",
    patches: [
      {
        file: "packages/models/src/anthropic/messages.ts",
        find: `    ...calls.map((call): Block => ({ type: "tool_use", id: call.id, name: tools.wireName(call.name), input: callInput(call.arguments) })),`,
        replace: `    ...calls.map((call): Block =>
      call.id.startsWith("seed_")
        ? { type: "text", text: \`I called \${call.name}.\` }
        : { type: "tool_use", id: call.id, name: tools.wireName(call.name), input: callInput(call.arguments) },
    ),`,
      },
    ],
    runs: "packages/models/src/anthropic/anthropic-model.test.ts",
  },
  "L-05": {
    breaks: "every run of a conversation counts as the first, and gives its seed calls the same ids",
    patches: [
      {
        file: "services/agent/src/transitions/start.ts",
        find: "const started = newRun(input, runs + 1);",
        replace: "const started = newRun(input, 1);",
      },
    ],
  },
  "L-06": {
    breaks: "the log contains the texts of the message array",
    patches: [
      {
        file: "services/agent/src/traced-model.ts",
        find: `return { role: "user", chars: entry.text.length };`,
        replace: `return { role: "user", chars: entry.text.length, text: entry.text };`,
      },
    ],
  },
  "L-07": {
    breaks: "a run that went round in circles does not report it",
    patches: [
      {
        file: "services/agent/src/observe-run.ts",
        find: `if (event.type === "run.failed" && event.code === LOOP) logLoop`,
        replace: `if (event.type === "run.failed" && event.code === "loops") logLoop`,
      },
    ],
  },
  "L-08": {
    breaks: "a newly registered tool is not offered until the agent restarts",
    patches: [
      {
        file: "services/agent/src/tool-offers.ts",
        find: "about, called = [] }) {\n      const registrations = await registered();",
        replace: "about, called = [] }) {\n      const registrations = (known ??= await registered());",
      },
      {
        file: "services/agent/src/tool-offers.ts",
        find: "  const reported = new Set<string>();",
        replace: "  const reported = new Set<string>();\n  let known: Awaited<ReturnType<typeof readRegistry>> | undefined;",
      },
    ],
  },
  "L-10": {
    breaks: "no other worker takes over a run whose worker is gone",
    patches: [
      {
        file: "services/agent/src/transitions/acquire.ts",
        find: "return lease.until > now && lease.since >= ownersDeadBefore;",
        replace: "return lease.until > 0 || (lease.until > now && lease.since >= ownersDeadBefore);",
      },
    ],
  },
  "L-11": {
    breaks: "the calls of a truncated reply are run",
    runs: "packages/models/src/openai/openai-model.test.ts",
    patches: [
      {
        file: "services/agent/src/steps/model-turn.ts",
        find: "const trusted = truncated ? [] : calls;",
        replace: "const trusted = truncated ? calls : calls;",
      },
    ],
  },
  "L-12": {
    breaks: "the report of an alert rests on no evidence",
    patches: [
      {
        file: "services/agent/src/investigation/report.ts",
        find: "resolved.filter((call) => call.toolName !== CONCLUDE),",
        replace: "resolved.filter((call) => call.toolName === CONCLUDE && call.toolName !== CONCLUDE),",
      },
    ],
  },
};
