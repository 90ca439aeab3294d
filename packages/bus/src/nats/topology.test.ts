import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  broadcastSubject,
  consumerDeclaration,
  inboxPrefix,
  placeOf,
  QUEUE_KINDS,
  queuePlace,
  streamDeclaration,
  topicOf,
} from "./topology.ts";

const word = fc.string({ unit: fc.constantFrom("a", "B", "7", "_", "-", "dead", "tool"), minLength: 1, maxLength: 4 });
const topic = fc.array(word, { minLength: 1, maxLength: 5 }).map((words) => words.join("."));

describe("the place of a topic", () => {
  it.each([
    ["run.wake", "TOOLBUS_WORK", "toolbus.work.run.wake", "toolbus_run_wake"],
    ["tool.invoke.release", "TOOLBUS_INVOKE", "toolbus.invoke.tool.invoke.release", "toolbus_tool_invoke_release"],
    ["tool.plan.release", "TOOLBUS_INVOKE", "toolbus.invoke.tool.plan.release", "toolbus_tool_plan_release"],
    ["tool.result.default", "TOOLBUS_REPLY", "toolbus.reply.tool.result.default", "toolbus_tool_result_default"],
    ["approval.held.default", "TOOLBUS_APPROVAL", "toolbus.approval.approval.held.default", "toolbus_approval_held_default"],
    ["dead.tool.invoke.a_b", "TOOLBUS_DEAD", "toolbus.dead.dead.tool.invoke.a_b", "toolbus_dead_tool_invoke_a=b"],
    ["orders", "TOOLBUS_WORK", "toolbus.work.orders", "toolbus_orders"],
  ])("of %s is the stream of its kind and a consumer of its own", (name, stream, subject, durable) => {
    expect(placeOf("toolbus", name)).toMatchObject({ stream, subject, durable });
  });

  it("is taken by the stream of its kind", () => {
    fc.assert(
      fc.property(topic, (name) => {
        const { kind, stream, subject } = placeOf("toolbus", name);
        const declared = streamDeclaration("toolbus", kind, { replicas: 1, maxBytes: 1 });
        expect(declared.name).toBe(stream);
        expect(subject.startsWith(declared.subjects[0]?.replace(">", "") ?? "none")).toBe(true);
      }),
    );
  });

  it("is another one for another topic", () => {
    fc.assert(
      fc.property(topic, topic, (one, other) => {
        const [a, b] = [placeOf("toolbus", one), placeOf("toolbus", other)];
        expect(a.durable === b.durable).toBe(one === other);
        expect(a.subject === b.subject).toBe(one === other);
      }),
    );
  });

  it("tells the topic again", () => {
    fc.assert(
      fc.property(topic, (name) => {
        expect(topicOf(placeOf("toolbus", name).subject)).toBe(name);
        expect(topicOf(broadcastSubject("toolbus", name))).toBe(name);
      }),
    );
  });

  it.each(["", ".", "a.", ".a", "a..b", "a.*", "a.>", "a b", "a\r\nPUB x", "é", "a".repeat(181)])("does not exist for %j", (name) => {
    expect(queuePlace("toolbus", name)).toBeNull();
    expect(() => placeOf("toolbus", name)).toThrow(RangeError);
    expect(() => broadcastSubject("toolbus", name)).toThrow("is not a topic: topics are words of letters");
  });
});

describe("what is declared", () => {
  it("separates namespaces, even if one begins like another", () => {
    const names = ["a", "a-work", "a-b"].flatMap((namespace) =>
      QUEUE_KINDS.flatMap((kind) => {
        const { name, subjects } = streamDeclaration(namespace, kind, { replicas: 1, maxBytes: 1 });
        return [name, ...subjects];
      }),
    );
    expect(new Set(names).size).toBe(names.length);
  });

  it("is a work queue in files that refuses messages over its limit", () => {
    expect(streamDeclaration("toolbus", "invoke", { replicas: 3, maxBytes: 1_048_576 })).toEqual({
      name: "TOOLBUS_INVOKE",
      subjects: ["toolbus.invoke.>"],
      retention: "workqueue",
      storage: "file",
      discard: "new",
      max_bytes: 1_048_576,
      max_msg_size: 524_288,
      duplicate_window: 120_000_000_000,
      num_replicas: 3,
    });
  });

  it("is a consumer that never gives up and waits as long as configured", () => {
    expect(consumerDeclaration(placeOf("toolbus", "orders"), 5000)).toEqual({
      durable_name: "toolbus_orders",
      name: "toolbus_orders",
      filter_subject: "toolbus.work.orders",
      deliver_policy: "all",
      ack_policy: "explicit",
      ack_wait: 5_000_000_000,
      max_deliver: -1,
      max_ack_pending: 10_000,
    });
  });

  it("is a reply prefix of one word, whoever logs in", () => {
    expect(inboxPrefix("toolbus", "agent")).toBe("_INBOX_toolbus_agent");
    expect(inboxPrefix("toolbus", "a.b >*")).toBe("_INBOX_toolbus_a-b---");
  });
});
