import { type Message, topics } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { BusUnavailable } from "./message-bus.ts";
import { NOW, pipelineUnderTest, TOPIC } from "./testing/pipeline-under-test.ts";
import { LETTERS_PER_MINUTE } from "./unusable-messages.ts";

describe("a flood of unusable messages", () => {
  const MINUTE_MS = 60_000;
  const ILL_FORMED: Partial<Message> = { body: "{" };

  it("leaves dead letters for the first ones, and the number of the others when the consumer stops", async () => {
    await using s = await pipelineUnderTest();
    const subscription = await s.start({ concurrency: 1 });
    for (let n = 0; n < 100; n++) await s.send(`bad-${n}`, ILL_FORMED);
    await s.send("good");
    await s.isHandled("good");
    await subscription.stop();
    await s.letters.until("the letters", ({ length }) => length === LETTERS_PER_MINUTE);
    expect(s.letters.items).toHaveLength(LETTERS_PER_MINUTE);
    expect(droppedIn(s.lines)).toEqual([100 - LETTERS_PER_MINUTE]);
  });

  it("is the same for messages that the handler finds unusable", async () => {
    await using s = await pipelineUnderTest();
    const subscription = await s.start({
      concurrency: 1,
      handler: async ({ id }) => {
        if (id !== "good") return { kind: "unusable", reason: "it names nothing here" };
        s.handled.add(id);
        return { kind: "ack" };
      },
    });
    for (let n = 0; n < 50; n++) await s.send(`bad-${n}`);
    await s.send("good");
    await s.isHandled("good");
    await subscription.stop();
    expect(s.letters.items[0]?.reason).toBe("it names nothing here");
    expect(droppedIn(s.lines)).toEqual([50 - LETTERS_PER_MINUTE]);
  });

  it("does not affect well-formed messages: each one that is too old, failed or was given up has a dead letter", async () => {
    await using s = await pipelineUnderTest();
    await s.start({
      maxDeliveries: 1,
      handler: async ({ id }) => {
        if (id.startsWith("failing")) throw new Error("It fails.");
        return { kind: "dead-letter", reason: "not wanted" };
      },
    });
    const old = new Date(NOW - 86_400_001).toISOString();
    const ahead = new Date(NOW + 86_400_001).toISOString();
    for (let n = 0; n < 50; n++) await s.send(`bad-${n}`, ILL_FORMED);
    for (let n = 0; n < 50; n++) {
      await s.send(`old-${n}`, { time: old });
      await s.send(`ahead-${n}`, { time: ahead });
      await s.send(`failing-${n}`);
      await s.send(`hopeless-${n}`);
    }
    await s.letters.until("all letters", ({ length }) => length === LETTERS_PER_MINUTE + 200);
    for (const kind of ["old", "ahead", "failing", "hopeless"])
      expect(s.letters.items.filter(({ message: { id } }) => id.startsWith(kind))).toHaveLength(50);
  });

  it("is malformed whatever time it names", async () => {
    await using s = await pipelineUnderTest();
    const subscription = await s.start({ concurrency: 1 });
    for (let n = 0; n < 40; n++) await s.send(`bad-${n}`, { ...ILL_FORMED, time: new Date(NOW - 86_400_001).toISOString() });
    await s.send("good");
    await s.isHandled("good");
    await subscription.stop();
    expect(droppedIn(s.lines)).toEqual([40 - LETTERS_PER_MINUTE]);
  });

  it("leaves dead letters again in the next minute, even if the clock was set back", async () => {
    let now = NOW;
    await using s = await pipelineUnderTest();
    const subscription = await s.start({ concurrency: 1, clock: () => now });
    const some = LETTERS_PER_MINUTE + 10;
    for (const [minute, step] of [MINUTE_MS, -3 * MINUTE_MS, 0].entries()) {
      for (let n = 0; n < some; n++) await s.send(`bad-${minute}-${n}`, ILL_FORMED);
      await s.send(`good-${minute}`, { time: new Date(now).toISOString() });
      await s.isHandled(`good-${minute}`);
      await s.letters.until("the letters of a minute", ({ length }) => length === (minute + 1) * LETTERS_PER_MINUTE);
      now += step;
    }
    await subscription.stop();
    expect(droppedIn(s.lines)).toEqual([10, 10, 10]);
  });

  it("loses no dead letter while the broker accepts none", async () => {
    let refusing = true;
    await using s = await pipelineUnderTest((bus) => ({
      ...bus,
      async publish(sent) {
        if (refusing && sent.topic === topics.dead(TOPIC)) throw new BusUnavailable("No room.");
        await bus.publish(sent);
      },
    }));
    const subscription = await s.start({ concurrency: 1 });
    const some = LETTERS_PER_MINUTE + 20;
    for (let n = 0; n < some; n++) await s.send(`bad-${n}`, ILL_FORMED);
    await s.send("good");
    await s.isHandled("good");
    refusing = false;
    await s.letters.until("the letters", ({ length }) => length === LETTERS_PER_MINUTE);
    await subscription.stop();
    expect(s.letters.items).toHaveLength(LETTERS_PER_MINUTE);
    expect(droppedIn(s.lines)).toEqual([20]);
  });

  function droppedIn(lines: readonly { readonly text: string }[]): readonly number[] {
    return lines.flatMap(({ text }) => /"dropped":(\d+)/.exec(text)?.[1] ?? []).map(Number);
  }
});
