import type { EndedCall } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { callFields } from "./call-lines.ts";

const write = (part: Partial<EndedCall>): EndedCall => ({
  callId: "rn_00_01K0AB5M0Y4T8J6W2Q9Z3C7D1E.1.0",
  tool: "restart",
  kind: "write",
  outcome: "ok",
  effect: "Restarts pay.",
  ...part,
});
const read = (part: Partial<EndedCall> = {}): EndedCall => write({ tool: "look_up", kind: "read", effect: null, ...part });

describe("the calls of a run at a terminal", () => {
  it("are its writes, with outcome, approvers and effect, and then the others, equal ones together", () => {
    const calls = [
      write({ approvedBy: ["ana", "bo"] }),
      write({ outcome: "outcome_unknown", approvedBy: ["policy"] }),
      write({ outcome: "denied" }),
      read(),
      read({ outcome: "timeout" }),
      read(),
    ];
    expect(callFields({ calls })).toEqual([
      ["writes", "restart happened, approved by ana and bo: Restarts pay."],
      ["", "restart may have happened, nobody knows, allowed by policy: Restarts pay."],
      ["", "restart did not happen (denied): Restarts pay."],
      ["calls", "look_up: ok, 2 times"],
      ["", "look_up: timeout"],
    ]);
  });

  it("are no lines while none has ended", () => {
    expect(callFields({})).toEqual([]);
  });
});
