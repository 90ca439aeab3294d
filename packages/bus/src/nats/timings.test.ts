import { expect, it } from "vitest";
import { DEFAULT_TIMINGS } from "./timings.ts";

const { ackWaitMs, workingMs, pullMs, heartbeatMs } = DEFAULT_TIMINGS;

it("ends the requests of a frozen process before the server takes its first message back", () => {
  expect(pullMs).toBeLessThan(ackWaitMs - workingMs);
});

it("asks for heartbeats that the server accepts: at least two in a request", () => {
  expect(2 * heartbeatMs).toBeLessThanOrEqual(pullMs);
});
