import type { Json, TranscriptEntry, Usage } from "@toolbus/contracts";
import { type FactsOf, type ModelContext, modelFacts, type ModelProvider, type ModelReply, type ModelRequest } from "@toolbus/models";
import {
  attributeNames,
  type Attributes,
  errorType,
  type Log,
  measure,
  metricNames,
  metricsAreOn,
  spanNames,
  spansAreOn,
  withSpan,
} from "@toolbus/telemetry";
import { measureWindow, windowAttributes } from "./context/context-telemetry.ts";
import { usageOfReply } from "./usage.ts";

export interface TracedModelOptions {
  readonly log: Log;
  readonly monotonic: () => number;
  /** The facts about models, with their prices. The default is the built-in table. */
  readonly factsOf?: FactsOf;
}

/**
 * Returns the same model with telemetry. Every call has a `chat` span, and its duration, its tokens by class and its cost are measured. One debug
 * line shows the roles and sizes of the messages, the number of tools and the tool choice. Telemetry and log never show the content of a
 * conversation.
 */
export function tracedModel(model: ModelProvider, { log, monotonic, factsOf = modelFacts }: TracedModelOptions): ModelProvider {
  return {
    name: model.name,
    model: model.model,
    capabilities: model.capabilities,
    dialect: model.dialect,
    complete,
    estimateTokens: (entries, system) => model.estimateTokens(entries, system),
    ...(model.mostTokens ? { mostTokens: model.mostTokens.bind(model) } : {}),
  };

  async function complete(request: ModelRequest, context: ModelContext): Promise<ModelReply> {
    const started = monotonic();
    const tags = { [attributeNames.operation]: "chat", [attributeNames.provider]: model.name, [attributeNames.requestModel]: model.model };
    const { runId, round, profile } = request.run;
    const { tools, toolChoice = "auto" } = request;
    log.debug(
      {
        runId,
        ...(round === undefined ? {} : { round }),
        // A log that drops debug lines does not read the messages.
        get messages() {
          return messagesOf(request);
        },
        tools: tools.length,
        toolChoice,
      },
      "the model is asked",
    );
    if (!spansAreOn() && !metricsAreOn()) return model.complete(request, context);
    const attributes = {
      ...tags,
      [attributeNames.requestMaxTokens]: request.maxTokens,
      [attributeNames.transcriptEntries]: request.transcript.length,
      [attributeNames.offeredTools]: request.tools.length,
    };
    try {
      return await withSpan(spanNames.chat(model.model), { kind: "client", attributes }, async (span) => {
        const reply = await model.complete(request, context);
        const usage = usageOfReply(reply, model, factsOf);
        span.set({ ...aboutReply(reply, usage), ...windowAttributes(reply.usage, model.capabilities) });
        const called = { ...tags, [attributeNames.responseModel]: reply.model, [attributeNames.profile]: profile };
        measureUsage(usage, called);
        measureWindow(reply.usage, model.capabilities, called);
        measure(metricNames.modelDuration, (monotonic() - started) / 1000, { ...tags, [attributeNames.responseModel]: reply.model });
        return reply;
      });
    } catch (error) {
      const failed = { ...tags, [attributeNames.errorType]: errorType(error) };
      measure(metricNames.modelDuration, (monotonic() - started) / 1000, failed);
      measure(metricNames.modelErrors, 1, failed);
      throw error;
    }
  }
}

function aboutReply({ model, stop, calls }: ModelReply, usage: Usage): Attributes {
  const { cacheReadTokens, cacheWriteTokens, reasoningTokens, costMicroUsd } = usage;
  return {
    [attributeNames.responseModel]: model,
    [attributeNames.finishReasons]: [stop],
    [attributeNames.inputTokens]: usage.inputTokens,
    [attributeNames.outputTokens]: usage.outputTokens,
    ...(cacheReadTokens === undefined ? {} : { [attributeNames.cacheReadTokens]: cacheReadTokens }),
    ...(cacheWriteTokens === undefined ? {} : { [attributeNames.cacheWriteTokens]: cacheWriteTokens }),
    ...(reasoningTokens === undefined ? {} : { [attributeNames.reasoningTokens]: reasoningTokens }),
    ...(costMicroUsd === undefined ? {} : { [attributeNames.costMicroUsd]: costMicroUsd }),
    [attributeNames.askedCalls]: calls.length,
  };
}

function measureUsage(usage: Usage, tags: Attributes): void {
  const { inputTokens, outputTokens, cacheReadTokens = 0, cacheWriteTokens = 0, reasoningTokens = 0 } = usage;
  measure(metricNames.modelTokens, inputTokens, { ...tags, [attributeNames.tokenType]: "input" });
  measure(metricNames.modelTokens, outputTokens, { ...tags, [attributeNames.tokenType]: "output" });
  // Each token belongs to exactly one class here, so that the classes add up.
  const classes = {
    input: Math.max(0, inputTokens - cacheReadTokens - cacheWriteTokens),
    cache_read: cacheReadTokens,
    cache_write: cacheWriteTokens,
    output: Math.max(0, outputTokens - reasoningTokens),
    reasoning: reasoningTokens,
  };
  for (const [type, tokens] of Object.entries(classes))
    if (tokens > 0) measure(metricNames.modelTokenClasses, tokens, { ...tags, [attributeNames.tokenType]: type });
  if (usage.costMicroUsd !== undefined) measure(metricNames.modelCost, usage.costMicroUsd / 1_000_000, tags);
  if (usage.unpricedCalls !== undefined) measure(metricNames.modelUnpriced, 1, tags);
}

/** Returns the messages that the model gets, with the length of each text in place of the text. */
function messagesOf({ system, transcript, tools }: ModelRequest): readonly Json[] {
  const offered = new Set(tools.map(({ name }) => name));
  // If a tool name was not offered, the model invented it, so the name may be any text.
  const toolName = (name: string): string => (offered.has(name) ? name : "unknown");
  return [{ role: "system", chars: system.length }, ...transcript.map((entry) => shownEntry(entry, toolName))];
}

function shownEntry(entry: TranscriptEntry, toolName: (name: string) => string): Json {
  switch (entry.type) {
    case "user":
      return { role: "user", chars: entry.text.length };
    case "assistant": {
      const calls = entry.calls.map(({ callId, name, arguments: text }) => ({ callId, tool: toolName(name), chars: text.length }));
      return { role: "assistant", chars: entry.text.length, calls };
    }
    case "result":
      return { role: "tool", callId: entry.callId, tool: toolName(entry.name), status: entry.status, chars: entry.content.length };
  }
}
