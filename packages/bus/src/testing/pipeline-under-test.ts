import { type DeadLetter, type Message, message, parseDeadLetter, parser, ToolCancel, topics } from "@toolbus/contracts";
import { record } from "../conformance/probe.ts";
import { type ConsumeOptions, consumeQueue } from "../consume-pipeline.ts";
import { memoryBus } from "../memory/memory-bus.ts";
import type { MessageBus } from "../message-bus.ts";

export const NOW = Date.parse("2030-05-01T12:00:00Z");
const parseCancel = parser(ToolCancel);
export const CALL = "rn_00_01ARZ3NDEKTSV4RRFFQ69G5FAV.1.0";
export const TOPIC = "tool.cancel.test";

/** Returns a bus with a reader of dead letters and a recorded log. `start` begins to consume with the pipeline. */
export async function pipelineUnderTest(wrap: (bus: MessageBus) => MessageBus = (bus) => bus) {
  const inner = memoryBus({ drainMs: 50 });
  const bus = wrap(inner);
  const lines: { readonly level: string; readonly text: string }[] = [];
  const keep = (level: string) => (fields: object, words: string) => void lines.push({ level, text: `${words} ${JSON.stringify(fields)}` });
  const letters = record<DeadLetter>({ patienceMs: 10_000 });
  const handled = record<string>({ patienceMs: 10_000 });
  await inner.consume(
    topics.dead(TOPIC),
    async (delivery) => {
      const letter = parseDeadLetter(JSON.parse(delivery.message.body));
      if (letter.ok) letters.add(letter.value);
      return { kind: "ack" };
    },
    { concurrency: 8 },
  );
  const start = (options: Partial<ConsumeOptions<ToolCancel>> = {}) =>
    consumeQueue(bus, {
      topic: TOPIC,
      concurrency: 4,
      deadlineMs: 5000,
      backoffMs: [1],
      parse: parseCancel,
      handler: async ({ id }) => {
        handled.add(id);
        return { kind: "ack" };
      },
      log: { warn: keep("warn"), error: keep("error") },
      clock: () => NOW,
      ...options,
    });
  const send = (id: string, parts: Partial<Message> = {}) => bus.publish(good(id, parts));
  const hasLetter = (id: string) => letters.until(`a dead letter of ${id}`, (all) => all.some((letter) => letter.message.id === id));
  const letterOf = async (id: string) => (await hasLetter(id)).find((letter) => letter.message.id === id);
  const isHandled = (id: string) => handled.until(`${id} is handled`, (ids) => ids.includes(id));
  return { bus, lines, letters, handled, start, send, letterOf, isHandled, [Symbol.asyncDispose]: () => inner.close() };
}

export function good(id: string, parts: Partial<Message> = {}): Message {
  return { ...message({ id, topic: TOPIC, type: "toolbus.tool.cancel", source: "test", now: NOW, body: { toolCallId: CALL } }), ...parts };
}
