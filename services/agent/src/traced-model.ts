import type { Json, TranscriptEntry } from "@toolbus/contracts";
import type { ModelContext, ModelProvider, ModelReply, ModelRequest } from "@toolbus/models";
import { attributeNames, type Attributes, errorType, type Log, measure, metricNames, spanNames, withSpan } from "@toolbus/telemetry";

/**
 * The same model, with a `chat` span, its duration and its tokens around every call, and one debug line that shows who said how much, never what.
 * Roles and sizes are all that telemetry learns of a conversation.
 */
export function tracedModel(
  model: ModelProvider,
  { log, monotonic }: { readonly log: Log; readonly monotonic: () => number },
): ModelProvider {
  return {
    name: model.name,
    model: model.model,
    capabilities: model.capabilities,
    dialect: model.dialect,
    complete,
    estimateTokens: (entries, system) => model.estimateTokens(entries, system),
  };

  async function complete(request: ModelRequest, context: ModelContext): Promise<ModelReply> {
    const started = monotonic();
    const tags = { [attributeNames.operation]: "chat", [attributeNames.provider]: model.name, [attributeNames.requestModel]: model.model };
    const { runId } = request.run;
    log.debug({ runId, messages: request.transcript.map(sizeOf), tools: request.tools.length }, "the model is asked");
    const attributes = {
      ...tags,
      [attributeNames.requestMaxTokens]: request.maxTokens,
      [attributeNames.transcriptEntries]: request.transcript.length,
      [attributeNames.offeredTools]: request.tools.length,
    };
    try {
      return await withSpan(spanNames.chat(model.model), { kind: "client", attributes }, async (span) => {
        const reply = await model.complete(request, context);
        span.set(aboutReply(reply));
        measureTokens(reply, tags);
        measure(metricNames.modelDuration, (monotonic() - started) / 1000, { ...tags, [attributeNames.responseModel]: reply.model });
        return reply;
      });
    } catch (error) {
      measure(metricNames.modelDuration, (monotonic() - started) / 1000, { ...tags, [attributeNames.errorType]: errorType(error) });
      throw error;
    }
  }
}

function aboutReply({ model, stop, usage, calls }: ModelReply): Attributes {
  return {
    [attributeNames.responseModel]: model,
    [attributeNames.finishReasons]: [stop],
    [attributeNames.inputTokens]: usage.inputTokens,
    [attributeNames.outputTokens]: usage.outputTokens,
    [attributeNames.askedCalls]: calls.length,
  };
}

function measureTokens({ usage }: ModelReply, tags: Attributes): void {
  measure(metricNames.modelTokens, usage.inputTokens, { ...tags, [attributeNames.tokenType]: "input" });
  measure(metricNames.modelTokens, usage.outputTokens, { ...tags, [attributeNames.tokenType]: "output" });
}

function sizeOf(entry: TranscriptEntry): Json {
  switch (entry.type) {
    case "user":
      return { role: "user", chars: entry.text.length };
    case "assistant":
      return { role: "assistant", chars: entry.text.length, calls: entry.calls.length };
    case "result":
      return { role: "tool", chars: entry.content.length };
  }
}
