import { failedResult, keys, type ToolResult } from "@toolbus/contracts";
import { argumentsHash, canonicalJson } from "@toolbus/grants";
import { describe, expect, it } from "vitest";
import {
  aboutToSend,
  approval,
  CALL,
  call,
  cancelled,
  CONVERSATION,
  decision,
  done,
  ended,
  gone,
  row,
  RUN,
  run,
  telling,
  timers,
} from "./wrong-histories.ts";

describe("the checker", () => {
  it("finds nothing wrong with a correct history", () => {
    const t = aboutToSend();
    t.tell({ kind: "accepted", at: 0, runId: RUN });
    expect(t.effect()).toEqual([]);
    expect(t.commit({ put: [t.puts.row(row({ state: "done", lease: null, result: done }))] })).toEqual([]);
    expect(ended(t, done)).toEqual([]);
    expect(t.checker.end()).toEqual([]);
  });

  describe("notices at once", () => {
    it("an effect that nobody approved", () => {
      expect(telling().effect().join()).toContain("G6");
    });

    it("an effect while its approval is pending", () => {
      const t = telling();
      t.commit({ put: [t.puts.approval(approval({ status: "pending", decisions: [] }))], timers: [timers.approval] });
      expect(t.effect().join()).toContain("G6: high_none of");
    });

    it("an effect with other arguments than were approved", () => {
      expect(aboutToSend().effect({ n: 1000, to: "mallory" }).join()).toContain("other arguments than approved");
    });

    it("arguments of an approval that nobody asked for, but not those that a person sent", () => {
      const edited = (n: number) => {
        const text = canonicalJson({ n, to: "nobody" });
        return approval({ status: "pending", decisions: [], arguments: text, argsHash: argumentsHash(text) });
      };
      const held = () => {
        const t = telling();
        t.commit({
          put: [t.puts.call(call()), t.puts.approval(approval({ status: "pending", decisions: [] }))],
          timers: [timers.approval],
        });
        return t;
      };
      expect(
        held()
          .commit({ put: [held().puts.approval(edited(2))] })
          .join(),
      ).toContain("nobody changed the arguments");
      const t = held();
      t.tell({ kind: "edits", at: 0, approvalId: approval().approvalId, arguments: { n: 2 } });
      expect(t.commit({ put: [t.puts.approval(edited(2))] })).toEqual([]);
      expect(t.commit({ put: [t.puts.approval({ ...edited(2), argsHash: approval().argsHash })] }).join()).toContain(
        "the hash of other arguments",
      );
    });

    it("an approval that counts people who approved other arguments", () => {
      const text = canonicalJson({ n: 2, to: "nobody" });
      const { argsHash, arguments: asked, effect, reasons, tier, need } = approval();
      const t = telling();
      t.commit({ put: [t.puts.call(call()), t.puts.approval(approval({ status: "pending", decisions: [] }))], timers: [timers.approval] });
      t.tell({ kind: "edits", at: 0, approvalId: approval().approvalId, arguments: { n: 2 } });
      const earlier = [{ argsHash, arguments: asked, effect, reasons, tier, need }];
      const approved = { ...approval(), arguments: text, argsHash: argumentsHash(text), earlier, edited: { by: "ben", at: 0 } };
      expect(t.commit({ put: [t.puts.approval(approved)], timers: [gone(timers.approval)] }).join()).toContain("is approved by 0 people");
    });

    it("an effect before the ledger says that it is sent", () => {
      const t = telling();
      t.commit({ put: [t.puts.approval(approval())] });
      t.commit({ put: [t.puts.row(row())] });
      expect(t.effect().join()).toContain("I6");
    });

    it("an effect that happens twice", () => {
      const t = aboutToSend();
      t.effect();
      expect(t.effect().join()).toContain("G4: high_none of");
    });

    it("an effect after it was reported that there was none, and a report that there was none after the effect", () => {
      const late = aboutToSend();
      expect(ended(late, cancelled)).toEqual([]);
      expect(late.effect().join()).toContain("G4");
      const early = aboutToSend();
      early.effect();
      expect(ended(early, cancelled).join()).toContain("reported as cancelled and had happened");
    });

    it("a report of an effect that did not happen", () => {
      expect(ended(aboutToSend(), done).join()).toContain("reported as done and happened 0 times");
    });

    it("a report that differs from its ledger, unless both say that a stopped write was not sent", () => {
      const inLedger = (status: ToolResult["status"]) => {
        const t = aboutToSend();
        t.commit({ put: [t.puts.row(row({ state: "done", lease: null, result: { ...cancelled, status } }))] });
        return t;
      };
      expect(ended(inLedger("timeout"), cancelled)).toEqual([]);
      expect(ended(inLedger("timeout"), { ...cancelled, status: "error" }).join()).toContain("its ledger says timeout");
      expect(ended(inLedger("outcome_unknown"), cancelled).join()).toContain("its ledger says outcome_unknown");
    });

    it("an approval by too few people, by the same one twice, and by the requester", () => {
      const critical = { toolName: "critical_none" } as const;
      const few = telling();
      expect(few.commit({ put: [few.puts.approval(approval(critical))] }).join()).toContain("approved by 1 people");
      const twice = telling();
      const decisions = [decision("amy"), { ...decision("amy"), tokenHash: "another" }];
      expect(twice.commit({ put: [twice.puts.approval(approval({ ...critical, decisions }))] }).join()).toContain("approved by 1 people");
      const own = telling();
      expect(own.commit({ put: [own.puts.approval(approval({ decisions: [decision("rita")] }))] }).join()).toContain("own request");
    });

    it("an approval that changes after its end, or whose arguments change", () => {
      const t = aboutToSend();
      expect(t.commit({ put: [t.puts.approval(approval({ status: "rejected" }))] }).join()).toContain("I7");
      const other = aboutToSend();
      expect(other.commit({ put: [other.puts.approval(approval({ arguments: "{}" }))] }).join()).toContain("I7");
    });

    it("a pending approval, an open call or an open run without a timer", () => {
      const t = telling();
      expect(t.commit({ put: [t.puts.approval(approval({ status: "pending", decisions: [] }))] }).join()).toContain("I3");
      expect(aboutToSend().commit({ timers: [], put: [] })).toEqual([]);
      const run1 = telling();
      expect(run1.commit({ put: [run1.puts.run(run())] }).join()).toContain("I1");
      const call1 = aboutToSend();
      expect(call1.commit({ put: [call1.puts.call(call({ dispatch: 2 }))], timers: [gone(timers.call)] }).join()).toContain("I2");
    });

    it("a run with a wrong count of its open calls", () => {
      const t = aboutToSend();
      const wrong = run({ status: "waiting", pending: 2, calls: [{ callId: CALL, write: true, resolved: false }] });
      expect(t.commit({ put: [t.puts.run(wrong)] }).join()).toContain("I4");
    });

    it("an epoch, a fence or a ledger row that goes backwards", () => {
      const t = telling();
      t.commit({ put: [t.puts.run(run({ epoch: 2 }))], timers: [timers.run] });
      expect(t.commit({ put: [t.puts.run(run({ epoch: 1 }))] }).join()).toContain("I5");
      const ledger = aboutToSend();
      expect(ledger.commit({ put: [ledger.puts.row(row())] }).join()).toContain("from sending back to begun");
      const fence = telling();
      fence.commit({ put: [fence.puts.row(row({ fence: 2 }))] });
      expect(fence.commit({ put: [fence.puts.row(row({ fence: 1 }))] }).join()).toContain("I5: the fence");
    });

    it("a result that changes, in the ledger and in the call", () => {
      const t = aboutToSend();
      t.effect();
      t.commit({ put: [t.puts.row(row({ state: "done", lease: null, result: done }))] });
      expect(t.commit({ put: [t.puts.row(row({ state: "done", lease: null, result: cancelled }))] }).join()).toContain("I6");
      ended(t, done);
      expect(t.commit({ put: [t.puts.call(call({ state: "resolved", result: cancelled }))] }).join()).toContain("G2");
    });

    it("a round, a result or a decision that is in a log twice, and an event after the end", () => {
      const t = aboutToSend();
      const turn = { log: keys.events(RUN), entries: [{ type: "turn", round: 1 }] };
      t.commit({ append: [turn] });
      expect(t.commit({ append: [turn] }).join()).toContain("round 1 twice");
      const result = { type: "result", runId: RUN, callId: CALL, id: "c", round: 1 };
      expect(t.commit({ append: [{ log: keys.transcript(CONVERSATION), entries: [result, result] }] }).join()).toContain("two results");
      t.effect();
      ended(t, done);
      expect(t.commit({ append: [{ log: keys.events(RUN), entries: [{ type: "turn", round: 2 }] }] }).join()).toContain(
        "continues after its end",
      );
    });

    it("a write that is skipped because of a later one", () => {
      const t = aboutToSend();
      const skipped = failedResult("skipped", "Not run.");
      expect(ended(t, skipped).join()).toContain("was skipped and no write before it had failed");
    });

    it("a write that happens while a call before it is open", () => {
      const t = aboutToSend();
      const calls = [
        { callId: CALL, write: true, resolved: false },
        { callId: `${RUN}.1.1`, write: false, resolved: false },
      ];
      const other = call({ callId: `${RUN}.1.1`, kind: "read" });
      const timer = { service: "agent", id: `call:${RUN}.1.1`, dueIn: 1 };
      t.commit({ put: [t.puts.call(other), t.puts.run(run({ status: "waiting", pending: 2, calls }))], timers: [timer] });
      expect(t.effect().join()).toContain("was open");
    });

    it("a write that is sent after it was stopped, and a first sending after the cancel", () => {
      const t = telling();
      t.commit({ put: [t.puts.row(row())] });
      t.commit({ put: [{ key: keys.stop(CALL), value: {} }] });
      expect(t.commit({ put: [t.puts.row(row({ state: "sending" }))] }).join()).toContain("although it was stopped");
      const late = aboutToSend();
      const calls = [{ callId: CALL, write: true, resolved: false }];
      late.commit({ put: [late.puts.run(run({ status: "waiting", pending: 1, calls, cancel: { entryId: "e", by: "ada", at: 1 } }))] });
      const outbox = [
        { service: "agent", id: `${CALL}#1`, topic: "tool.invoke.sim", message: { correlationId: CALL, body: "{}" }, dueIn: 0 },
      ];
      expect(late.commit({ outbox }).join()).toContain("is cancelled and sends");
    });

    it("a decision after the end of its approval, and a queue that is out of order", () => {
      const t = telling();
      expect(t.commit({ put: [t.puts.approval(approval({ expiresAt: 1 }))] }).join()).toContain("after its end");
      const queue = [2, 1].map((accepted) => ({ runId: `${RUN.slice(0, -1)}${accepted + 1}`, accepted, interrupts: false }));
      const queued = telling();
      expect(queued.commit({ put: [queued.puts.conversation({ queue })] }).join()).toContain(
        "the order in which its messages were accepted",
      );
    });

    it("a message about something that does not exist", () => {
      const message = { correlationId: CALL, body: "{}" };
      const outbox = [{ service: "agent", id: "m", topic: "tool.invoke.sim", message, dueIn: 0 }];
      expect(telling().commit({ outbox }).join()).toContain("I8");
    });

    it("a decision that is answered differently when it is repeated", () => {
      const t = telling();
      const reported = { kind: "decided", at: 0, approvalId: "ap", tokenId: "amy t", decision: "approve" } as const;
      expect(t.tell({ ...reported, answer: `{"status":"approved"}` })).toEqual([]);
      expect(t.tell({ ...reported, answer: `{"status":"expired"}` }).join()).toContain("G6");
    });

    it("a fault of the code, wherever it was caught", () => {
      const t = telling();
      expect(t.tell({ kind: "fault", at: 0, process: "agent-0.1", error: "TypeError: x is undefined" })).toHaveLength(1);
      expect(t.tell({ kind: "crash", at: 0, process: "agent-0.1", error: "StoreUnavailable: no answer" })).toEqual([]);
      expect(t.tell({ kind: "crash", at: 0, process: "agent-0.1", error: "TypeError: x is undefined" })).toHaveLength(1);
    });
  });

  describe("notices at the end", () => {
    it("an accepted run that was lost, and one that is stuck", () => {
      const lost = telling();
      lost.tell({ kind: "accepted", at: 0, runId: RUN });
      expect(lost.checker.end().join()).toContain("was never started");
      const stuck = aboutToSend();
      stuck.tell({ kind: "accepted", at: 0, runId: RUN });
      expect(stuck.checker.end().join()).toContain("is stuck as waiting");
    });

    it("a conversation that is not free, an approval that never ended, and what is left in timers and outbox", () => {
      const t = telling();
      const message = { correlationId: CALL, body: "{}" };
      t.commit({
        put: [t.puts.conversation({ activeRun: RUN }), t.puts.approval(approval({ status: "pending", decisions: [] }))],
        timers: [timers.approval],
        outbox: [{ service: "agent", id: "m", topic: "tool.invoke.sim", message, dueIn: 0 }],
      });
      const found = t.checker.end().join();
      for (const words of ["is not free", "never ended", "a timer of approvals is left", "a message of agent is left"])
        expect(found).toContain(words);
    });

    it("a transcript whose calls and results do not pair", () => {
      const t = telling();
      t.commit({ put: [t.puts.conversation({})] });
      const assistant = { type: "assistant", runId: RUN, round: 1, text: "", calls: [{ id: "c", callId: CALL }] };
      t.commit({ append: [{ log: keys.transcript(CONVERSATION), entries: [assistant] }] });
      expect(t.checker.end().join()).toContain("does not pair");
    });

    it("counts that do not agree with what happened", () => {
      const t = aboutToSend();
      t.effect();
      ended(t, done);
      t.commit({ append: [{ log: keys.events("rn_03_01JD0000000000000000000009"), entries: [] }] });
      expect(t.checker.end()).toEqual([]);
      const wrong = telling();
      wrong.commit({ put: [wrong.puts.run(run({ status: "done", endedAt: 1, usage: { ...run().usage, modelCalls: 2 } }))] });
      expect(wrong.checker.end().join()).toContain("counts 2 model calls and has 0 turns");
    });
  });
});
