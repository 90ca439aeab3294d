import type { Mutations } from "../mutation.ts";

/** The mutations of the rows B. */
export const busMutations: Mutations = {
  "B-03": {
    breaks: "a response has one more field than the contract",
    patches: [
      {
        file: "packages/tool-kit/src/calls/result-message.ts",
        find: ": { toolCallId, toolName, content: result.content, isError: result.isError },",
        replace: ": { toolCallId, toolName, content: result.content, isError: result.isError, status: result.status },",
      },
    ],
  },
  "B-04": {
    breaks: "an error does not say whether it may be retried",
    patches: [
      {
        file: "packages/tool-kit/src/calls/result-message.ts",
        find: "message: error.message, isRetryable: error.retryable }",
        replace: "message: error.message }",
      },
    ],
  },
  "B-05": {
    breaks: "every answer goes to the default agent",
    patches: [
      {
        file: "packages/tool-kit/src/calls/result-message.ts",
        find: `return RESULT_TOPIC.exec(replyTo ?? "")?.[1] ?? DEFAULT_AGENT;`,
        replace: `return replyTo === undefined || RESULT_TOPIC.test(replyTo) ? DEFAULT_AGENT : DEFAULT_AGENT;`,
      },
    ],
  },
  "B-06": {
    breaks: "an answer is joined to the first open call, whatever it names",
    patches: [
      {
        file: "services/agent/src/transitions/join.ts",
        find: "snapshot.calls.find((known) => known.value.callId === answer.callId)?.value;",
        replace: `snapshot.calls.find((known) => known.value.callId === answer.callId || known.value.state !== "resolved")?.value;`,
      },
    ],
  },
  "B-01": {
    breaks: "the agent connects to a server that is neither bus, store nor model",
    patches: [
      {
        file: "services/agent/src/tool-offers.ts",
        find: "      const values = await flags.current();\n      const { notices",
        replace:
          '      const values = await flags.current();\n      if (flags.environment.startsWith("http")) await fetch(flags.environment);\n      const { notices',
      },
    ],
  },
  "B-02": {
    breaks: "a request says the tool's version in its body",
    patches: [
      {
        file: "services/agent/src/outgoing/messages.ts",
        find: "toolName: call.toolName, arguments: call.arguments, sessionId: run.conversationId };",
        replace: "toolName: call.toolName, arguments: call.arguments, sessionId: run.conversationId, toolVersion: call.toolVersion };",
      },
    ],
  },
  "B-10": {
    breaks: "a task is accepted in one commit, and announced in another that may never come",
    patches: [
      {
        file: "services/gateway/src/inbound/start-investigation.ts",
        find: "    return { ...(await outbox.commit(shardOf(runId), change, [wake])), started };",
        replace:
          '    const { timers = [], ...accepted } = change;\n    const reply = await outbox.commit(shardOf(runId), accepted, [wake]);\n    if (reply.outcome === "ok") await outbox.commit(shardOf(runId), { op: `${accepted.op}:announce`, guards: [{ key: accepted.guards[0].key, version: reply.commit }], timers });\n    return { ...reply, started };',
      },
    ],
  },
  "B-13": {
    breaks: "the answer of a tool in this process still goes over the bus",
    patches: [
      {
        file: "packages/tool-kit/src/calls/local-toolset.ts",
        find: "if (message.topic === replyTopic) answer = message;",
        replace: "if (message.topic === `${replyTopic} here`) answer = message;",
      },
    ],
  },
  "B-14": {
    breaks: "with NATS configured, messages stay in the process",
    without: ["tests/e2e/apart/apart.test.ts"],
    patches: [
      { file: "packages/bus/src/bus-kind.ts", find: '      return { kind: "nats" };', replace: '      return { kind: "memory" };' },
    ],
  },
  "B-12": {
    breaks: "a message loses its trace context on either broker",
    patches: [
      {
        file: "packages/bus/src/amqp/wire.ts",
        find: "if (value !== undefined && !RESERVED.test(name)) attributes[name] = value;",
        replace: `if (value !== undefined && !RESERVED.test(name) && name !== "traceparent") attributes[name] = value;`,
      },
      {
        file: "packages/bus/src/nats/wire.ts",
        find: "else if (!isReserved(lower)) setOwn(attributes, decodeName(name), decodeText(value));",
        replace: `else if (!isReserved(lower) && lower !== "traceparent") setOwn(attributes, decodeName(name), decodeText(value));`,
      },
    ],
  },
  "B-15": {
    breaks: "the instrumentation of amqplib is installed and nobody uses it",
    patches: [
      {
        file: "packages/telemetry/src/otel/sdk-recorder.ts",
        find: "instrumentAmqp && pipelines.spanProcessors.length > 0 ? await amqpSpans() : null;",
        replace: "instrumentAmqp && pipelines.spanProcessors.length < 0 ? await amqpSpans() : null;",
      },
    ],
  },
};
