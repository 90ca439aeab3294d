import type { Mutations } from "../mutation.ts";

/** The mutations of the rows V. */
export const providersMutations: Mutations = {
  "V-01": {
    breaks: "OpenRouter is called without its configured key",
    patches: [
      {
        file: "packages/models/src/connect/connect-model.ts",
        find: "return openrouterModel(adapter(key));",
        replace: "return openrouterModel(adapter(key === null ? key : null));",
      },
    ],
  },
  "V-02": {
    breaks: "a command does not get the results of its calls",
    patches: [
      {
        file: "packages/models/src/cli/cli-prompt.ts",
        find: "messages: request.transcript.map((entry) => message(entry, tools)),",
        replace: `messages: request.transcript.filter(({ type }) => type !== "result").map((entry) => message(entry, tools)),`,
      },
    ],
  },
  "V-03": {
    breaks: "the system prompt goes to Anthropic as the first message of a user",
    runs: "packages/models/src/anthropic/anthropic-model.test.ts",
    patches: [
      {
        file: "packages/models/src/anthropic/request.ts",
        find: `    messages: [...messages],
    ...systemOf(system),`,
        replace: `    messages: system === "" ? [...messages] : [{ role: "user", content: systemOf(system).system ?? "" }, ...messages],`,
      },
    ],
  },
  "V-04": {
    breaks: "an adapter removes from a compiled schema what it thinks its vendor does not need",
    runs: "packages/models/src/anthropic/anthropic-model.test.ts",
    patches: [
      {
        file: "packages/models/src/anthropic/request.ts",
        find: `input_schema: { ...parameters, type: "object" },`,
        replace: `input_schema: JSON.parse(JSON.stringify(parameters, (word, value) => (word === "format" ? undefined : value))),`,
      },
    ],
  },
  "V-05": {
    breaks: "every result of a turn names the turn's first call",
    patches: [
      {
        file: "packages/models/src/openai/written-history.ts",
        find: "const id = turn.ids[n] ?? result.id;",
        replace: "const id = turn.ids[0] ?? turn.ids[n] ?? result.id;",
      },
    ],
  },
  "V-06": {
    breaks: "a model's own thinking never comes back to it",
    runs: "packages/models/src/anthropic/anthropic-model.test.ts",
    patches: [
      {
        file: "packages/models/src/anthropic/messages.ts",
        find: "const thought = own.prefix !== null && first && own.prefix === prefix();",
        replace: `const thought = own.prefix === "" && first && own.prefix === prefix();`,
      },
    ],
  },
  "V-07": {
    breaks: "a failure goes to Bedrock as JSON",
    runs: "packages/models/src/bedrock/bedrock-model.test.ts",
    patches: [
      {
        file: "packages/models/src/bedrock/messages.ts",
        find: `content: [{ text: content }], status: "error" };`,
        replace: `content: [{ json: documentOf(jsonObjectOf(content) ?? { text: content }) }], status: "error" };`,
      },
    ],
  },
  "V-08": {
    breaks: "the tool choice of a request is not logged",
    runs: "packages/models/src/anthropic/anthropic-model.test.ts",
    patches: [
      {
        file: "services/agent/src/traced-model.ts",
        find: "tools: tools.length,\n        toolChoice,",
        replace: `tools: tools.length,\n        ...(toolChoice === "auto" ? { toolChoice } : {}),`,
      },
    ],
  },
  "V-09": {
    breaks: "a profile's request for one call per turn reaches no model",
    runs: "packages/models/src/anthropic/anthropic-model.test.ts",
    patches: [
      {
        file: "services/agent/src/steps/model-turn.ts",
        find: "...(profile.parallelCalls === undefined ? {} : { parallelCalls: profile.parallelCalls }),",
        replace: "...(profile.parallelCalls === undefined ? {} : {}),",
      },
    ],
  },
  "V-10": {
    breaks: "a nested object accepts any members",
    patches: [
      {
        file: "packages/models/src/schema/write/write-object.ts",
        find: `    required,
    additionalProperties: false,`,
        replace: `    required,
    ...(spot.depth > 1 ? {} : { additionalProperties: false }),`,
      },
    ],
  },
  "V-11": {
    breaks: "an array without a type for its items passes",
    patches: [
      {
        file: "packages/tool-kit/src/lint/lint-schema.ts",
        find: `if (items === undefined)
    return [`,
        replace: `if (items === undefined && at === ROOT)
    return [`,
      },
    ],
  },
  "V-12": {
    breaks: "a tool that ships refers to a schema that it does not have",
    patches: [
      {
        file: "services/agent/src/transitions/loop-tools.ts",
        find: `key: { type: "string", minLength: 1, maxLength: 512,`,
        replace: `key: { $ref: "#/$defs/key",`,
      },
    ],
  },
  "V-13": {
    breaks: "an adapter has rules of its own that no shipped tool is checked by",
    patches: [
      {
        file: "packages/models/src/schema/dialect.ts",
        find: `"compatible", "bedrock", "cli"] as const;`,
        replace: `"compatible", "cli"] as const;`,
      },
    ],
  },
  "V-14": {
    breaks: "a compiled schema contains something that JSON cannot express",
    runs: "packages/models/src/anthropic/anthropic-model.test.ts",
    patches: [
      {
        file: "packages/models/src/schema/write/write-object.ts",
        find: "...(description ? { description } : {}),",
        replace: "description: description || undefined,",
      },
    ],
  },
  "V-16": {
    breaks: "the text beside a model's calls is lost when another vendor continues",
    runs: "packages/models/src/openai/openai-model.test.ts",
    patches: [
      {
        file: "packages/models/src/openai/chat-history.ts",
        find: `content: text === "" ? null : text.toWellFormed() };`,
        replace: `content: text === "" || calls.length > 0 ? null : text.toWellFormed() };`,
      },
    ],
  },
  "V-17": {
    breaks: "every id of a call is made opaque for every vendor",
    patches: [
      {
        file: "packages/models/src/adapter/vendor-id.ts",
        find: "if (id.length <= maxLength && pattern.test(id) && !id.startsWith(PREFIX)) return id;",
        replace: `if (id === "" && pattern.test(id) && id.length <= maxLength) return id;`,
      },
    ],
  },
  "V-18": {
    breaks: "a vendor's own data beside its turn is not kept",
    runs: "packages/models/src/anthropic/anthropic-model.test.ts",
    patches: [
      {
        file: "services/agent/src/steps/model-turn.ts",
        find: "...(vendor ? { vendor } : {}),",
        replace: "...(vendor ? {} : {}),",
      },
    ],
  },
  "V-19": {
    breaks: "a result may answer a call of any turn",
    runs: "packages/models/src/anthropic/anthropic-model.test.ts",
    patches: [
      {
        file: "packages/models/src/pairing.ts",
        find: "if (!open.delete(entry.id))",
        replace: `if (!open.delete(entry.id) && !transcript.some((turn) => turn.type === "assistant" && turn.calls.some(({ id }) => id === entry.id)))`,
      },
    ],
  },
  "V-20": {
    breaks: "a model without tool calling is offered tools",
    patches: [
      {
        file: "services/agent/src/callable-tools.ts",
        find: "return capabilities.tools ? tools : NONE;",
        replace: "return tools.size > 0 ? tools : NONE;",
      },
    ],
  },
  "V-21": {
    breaks: "OpenAI gets a member that its newer models refuse",
    patches: [
      {
        file: "packages/models/src/openai/openai-model.ts",
        find: `lengthMember: "max_completion_tokens",`,
        replace: `lengthMember: "max_tokens",`,
      },
    ],
  },
  "V-22": {
    breaks: "LLM_PROVIDER is ignored",
    patches: [
      {
        file: "services/agent/src/model-settings.ts",
        find: "provider: given(config.LLM_PROVIDER),",
        replace: `provider: given(config.LLM_PROVIDER === "" ? "" : ""),`,
      },
    ],
  },
  "V-23": {
    breaks: "the loop counts differently for one vendor",
    runs: "packages/models/src/anthropic/anthropic-model.test.ts",
    patches: [
      {
        file: "services/agent/src/steps/complete-within.ts",
        find: "estimateToolTokens(tools);",
        replace: `estimateToolTokens(tools) * (provider.name === "anthropic" ? 2 : 1);`,
      },
    ],
  },
};
