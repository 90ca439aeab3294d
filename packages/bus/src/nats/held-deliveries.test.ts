import { describe, expect, it } from "vitest";
import { probe } from "../conformance/probe.ts";
import { ACK, WORKING } from "./acknowledgement.ts";
import { heldDeliveries } from "./held-deliveries.ts";

const OURS_FOR_MS = 5000;

function setup() {
  const sent: string[] = [];
  let time = 0;
  let connected = true;
  const held = heldDeliveries({
    oursForMs: OURS_FOR_MS,
    now: () => time,
    send(reply, payload) {
      if (connected) sent.push(`${reply} ${payload}`);
      return connected;
    },
  });
  return {
    held,
    sent,
    take: (sequence: number, count = 1) => held.take(probe("orders", `m${sequence}`), `ack.${sequence}.${count}`, { count, sequence }),
    pass: (ms: number) => void (time += ms),
    disconnect: () => void (connected = false),
    connect: () => void (connected = true),
  };
}

describe("a delivery that is held", () => {
  it("is answered once", () => {
    const { take, sent } = setup();
    const one = take(1);
    expect(one.answer(ACK)).toBe(true);
    expect(one.answer("-NAK")).toBe(true);
    expect(sent).toEqual(["ack.1.1 +ACK"]);
  });

  it("stays ours as long as the server is notified", () => {
    const { take, held, pass, sent } = setup();
    const one = take(1);
    for (let n = 0; n < 10; n++) {
      pass(OURS_FOR_MS - 1);
      held.extend();
    }
    expect(one.delivery.signal.aborted).toBe(false);
    expect(one.answer(ACK)).toBe(true);
    expect(sent).toEqual([...Array.from({ length: 10 }, () => `ack.1.1 ${WORKING}`), "ack.1.1 +ACK"]);
  });

  it("is lost after a pause, and then not answered", () => {
    const { take, pass, sent } = setup();
    const one = take(1);
    pass(OURS_FOR_MS);
    expect(one.answer(ACK)).toBe(true);
    expect(one.delivery.signal.aborted).toBe(true);
    expect(sent).toEqual([]);
  });

  it("is acked after a pause if its work is done, and a later delivery of it stays here", () => {
    const { take, held, pass, sent } = setup();
    const one = take(1);
    pass(OURS_FOR_MS);
    held.extend();
    const later = take(1, 2);
    expect(one.answer(ACK, { evenIfLost: true })).toBe(true);
    expect(later.isOurs()).toBe(true);
    expect(later.answer(ACK)).toBe(true);
    expect(sent).toEqual(["ack.1.1 +ACK", "ack.1.2 +ACK"]);
  });

  it("is lost at the next check after a pause, before its handler ends", () => {
    const { take, held, pass, sent } = setup();
    const [one, other] = [take(1), take(2)];
    pass(OURS_FOR_MS);
    const late = take(3);
    held.extend();
    expect([one, other, late].map(({ delivery }) => delivery.signal.aborted)).toEqual([true, true, false]);
    expect(sent).toEqual([`ack.3.1 ${WORKING}`]);
  });

  it("is lost when the same message is delivered again", () => {
    const { take, sent } = setup();
    const [before, after] = [take(1), take(1, 2)];
    expect(before.delivery.signal.aborted).toBe(true);
    before.answer(ACK);
    expect(after.delivery.signal.aborted).toBe(false);
    after.answer(ACK);
    expect(sent).toEqual(["ack.1.2 +ACK"]);
  });

  it("keeps its answer while there is no connection, and is not extended by unsent notices", () => {
    const { take, held, pass, disconnect, connect, sent } = setup();
    const [one, other] = [take(1), take(2)];
    disconnect();
    pass(OURS_FOR_MS - 1);
    expect(one.answer(ACK)).toBe(false);
    expect(one.isOurs()).toBe(true);
    held.extend();
    connect();
    expect(one.answer(ACK)).toBe(true);
    pass(1);
    expect(other.isOurs()).toBe(false);
    expect(sent).toEqual(["ack.1.1 +ACK"]);
  });

  it("is given back when its consumer stops, and a later end changes nothing", () => {
    const { take, held, pass, sent } = setup();
    const lost = take(1);
    pass(OURS_FOR_MS);
    const one = take(2);
    held.giveBack("It stopped.");
    one.answer(ACK, { evenIfLost: true });
    lost.answer(ACK, { evenIfLost: true });
    expect([lost, one].map(({ delivery }) => delivery.signal.aborted)).toEqual([true, true]);
    expect(one.delivery.signal.reason).toMatchObject({ name: "AbortError", message: "It stopped." });
    expect(sent).toEqual(["ack.2.1 -NAK"]);
  });
});
