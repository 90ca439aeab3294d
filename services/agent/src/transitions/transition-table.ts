import type { CallState, RunStatus, Transition } from "@toolbus/contracts";
import { acquire, release, renew } from "./acquire.ts";
import { answerCall } from "./answer.ts";
import { cancelRun } from "./cancel.ts";
import { commitSummary } from "./commit-summary.ts";
import { callDecided, callHeld } from "./decided.ts";
import { failRun, finishCancel } from "./end.ts";
import { followWrite } from "./follow.ts";
import { joinResult } from "./join.ts";
import { mergeChanges } from "./merge-changes.ts";
import { retryLater } from "./model-retry.ts";
import { grantStale, redispatch } from "./redispatch.ts";
import { startRun } from "./start.ts";
import { commitTurn } from "./turn.ts";
import { checkWaiting } from "./waiting.ts";

type AgentChange = `run ${RunStatus | "none"} → ${RunStatus}` | `call ${CallState | "none"} → ${CallState}`;

const LATE_GRANT = "the grant has less than a minute left when it is the write's turn";
const SENT_BEFORE = "the write was sent before and waits for a fresh grant";
const FEW_INTERRUPTS = "few messages interrupt a run in exactly this state";
const CUT_OFF = "a worker has to lose its connection while it sends a write, for longer than the call may take, and then come back";
const SKIPPED = "an earlier write of the turn has to fail at exactly this moment";

/** The further effects of a commit that gives a call its result. Later writes may be skipped, the next write may be sent, and the round may end. */
const AFTER_A_RESULT = [
  "call granted → dispatched",
  "call granted → requested",
  "call granted → resolved",
  "call requested → resolved",
  "call held → resolved",
  "run waiting → waiting",
  "run waiting → ready",
] as const satisfies readonly AgentChange[];

/** Every transition of runs and calls. One row is one commit. If one run makes room for the next, the commit contains both runs. */
export const agentTransitions: readonly Transition<AgentChange>[] = [
  {
    name: "agent start",
    by: startRun,
    when: "The agent takes an accepted message. The run begins, waits behind the active run, or is refused. With `interrupt` the same commit cancels the active run.",
    changes: [
      "run none → ready",
      "run none → queued",
      "run none → failed",
      "run ready → cancelled",
      "run waiting → ready",
      "run waiting → waiting",
      "call asked → resolved",
      "call requested → resolved",
      "call requested → dispatched",
      "call held → resolved",
      "call held → dispatched",
      "call granted → resolved",
      "call granted → dispatched",
      "call dispatched → resolved",
      "call dispatched → dispatched",
    ],
    rare: {
      "run waiting → waiting": FEW_INTERRUPTS,
      "call asked → resolved": FEW_INTERRUPTS,
      "call held → resolved": FEW_INTERRUPTS,
      "call granted → resolved": FEW_INTERRUPTS,
      "call requested → dispatched": SENT_BEFORE,
      "call held → dispatched": SENT_BEFORE,
      "call granted → dispatched": SENT_BEFORE,
      "call dispatched → dispatched": FEW_INTERRUPTS,
    },
  },
  {
    name: "agent acquire",
    by: acquire,
    when: "A process takes a ready run for one step. The epoch rises, so an earlier holder can no longer commit anything.",
    changes: ["run ready → ready"],
  },
  {
    name: "agent launch",
    by: mergeChanges,
    when: 'As "agent start", but the same commit acquires the run, because the process begins the first step at once.',
    changes: ["run none → ready"],
  },
  {
    name: "agent continue",
    by: mergeChanges,
    when: 'As "agent join" or "agent decided", but the result was the last one of the round, and the same commit acquires the run for the next step.',
    changes: [
      "call dispatched → resolved",
      "call requested → resolved",
      "call held → resolved",
      "call granted → resolved",
      "run waiting → ready",
    ],
    rare: { "call granted → resolved": SKIPPED },
  },
  {
    name: "agent round",
    by: mergeChanges,
    when: 'One commit has the beginning and the end of a step: "agent launch", or the results of local reads and the acquisition, and what the step came to. That is a turn in most cases.',
    changes: [
      "call dispatched → resolved",
      "call none → requested",
      "call none → dispatched",
      "call none → asked",
      "call none → resolved",
      "run none → ready",
      "run none → waiting",
      "run none → done",
      "run none → failed",
      "run waiting → ready",
      "run waiting → waiting",
      "run waiting → done",
      "run waiting → failed",
      "run queued → ready",
    ],
    rare: {
      "run none → done": "every scripted model calls a tool first",
      "run none → failed": "a budget has to be empty when a conversation begins",
      "run waiting → failed": "a budget has to end just after local reads",
      "run queued → ready": "another message has to wait when a run ends with a round of local reads",
    },
  },
  { name: "agent renew", by: renew, when: "The holder extends its lease while the model answers.", changes: ["run ready → ready"] },
  {
    name: "agent release",
    by: release,
    when: "A step failed for a temporary reason. The run is due again later.",
    changes: ["run ready → ready"],
  },
  {
    name: "agent model-retry",
    by: retryLater,
    when: "A model call failed and may succeed later. The wait is a timer in the store.",
    changes: ["run ready → ready"],
  },
  {
    name: "agent context",
    by: commitSummary,
    when: "The step wrote a summary of the conversation instead of a turn.",
    changes: ["run ready → ready"],
    rare: { "run ready → ready": "no simulated conversation is long enough for a summary" },
  },
  {
    name: "agent turn",
    by: commitTurn,
    when: "The model (or the seed) has answered. The agent sends reads and computations, requests grants, or asks a question. Without calls the run is done, and the next run of the conversation begins.",
    changes: [
      "run ready → waiting",
      "run ready → ready",
      "run ready → done",
      "run queued → ready",
      "call none → requested",
      "call none → dispatched",
      "call none → asked",
      "call none → resolved",
    ],
  },
  {
    name: "agent join",
    by: joinResult,
    when: "The first genuine answer to a call arrives.",
    changes: ["call dispatched → resolved", ...AFTER_A_RESULT],
    rare: {
      "call granted → requested": LATE_GRANT,
      "call granted → resolved": SKIPPED,
      "call requested → resolved": SENT_BEFORE,
      "call held → resolved": SENT_BEFORE,
    },
  },
  {
    name: "agent held",
    by: callHeld,
    when: "Approvals reports that people were asked.",
    changes: ["call requested → held", "call held → held", "run waiting → waiting"],
  },
  {
    name: "agent decided",
    by: callDecided,
    when: "The approval has ended. With a grant, the agent sends the write when the calls before it have ended. Without one, the model gets the outcome as a result.",
    changes: [
      "call requested → granted",
      "call held → granted",
      "call requested → dispatched",
      "call held → dispatched",
      "call requested → requested",
      "call held → requested",
      ...AFTER_A_RESULT,
    ],
    rare: {
      "call requested → requested": LATE_GRANT,
      "call held → requested": LATE_GRANT,
      "call granted → requested": LATE_GRANT,
      "call granted → dispatched": "policy has to deny the write before it, under a profile that continues after a denial",
    },
  },
  {
    name: "agent stale",
    by: grantStale,
    when: "A worker found the grant genuine but stale, and began nothing. The agent asks approvals for a fresh grant. If workers with another definition of the tool have refused the write several times, the agent stops the write instead.",
    changes: ["call dispatched → requested", "call dispatched → dispatched", "run waiting → waiting"],
    rare: {
      "call dispatched → dispatched": "a worker has to change its definition of the tool under the same version",
      "call dispatched → requested": "a grant has to become stale on its way to the worker",
      "run waiting → waiting": "a grant has to become stale on its way to the worker",
    },
  },
  {
    name: "agent redispatch",
    by: redispatch,
    when: "A call's timer is due. The agent sends the request or the call again, or ends the call because no other outcome is possible any more.",
    changes: [
      "call requested → requested",
      "call held → held",
      "call asked → resolved",
      "call dispatched → dispatched",
      "call dispatched → requested",
      "call dispatched → resolved",
      ...AFTER_A_RESULT,
    ],
    rare: {
      "call dispatched → requested": LATE_GRANT,
      "call granted → requested": LATE_GRANT,
      "call requested → resolved": SKIPPED,
      "call held → resolved": SKIPPED,
    },
  },
  {
    name: "agent answer",
    by: answerCall,
    when: "The person has answered a question.",
    changes: [
      "call asked → resolved",
      "call granted → dispatched",
      "call granted → requested",
      "call granted → resolved",
      "run waiting → waiting",
      "run waiting → ready",
    ],
    rare: { "call granted → requested": LATE_GRANT, "call granted → resolved": "a grant has to lapse while a question waits" },
  },
  {
    name: "agent waiting",
    by: checkWaiting,
    when: "A waiting run's timer is due. When its active time is used up, unanswered reads end as timed out.",
    changes: [
      "call dispatched → dispatched",
      "call dispatched → resolved",
      "call granted → dispatched",
      "call granted → requested",
      "call granted → resolved",
      "run waiting → waiting",
      "run waiting → ready",
    ],
    rare: {
      "call dispatched → dispatched": "every worker of a toolset has to be gone for a while",
      "call dispatched → resolved": "the active time of a run has to end while a read is under way",
      "call granted → dispatched": "the active time of a run has to end while a read is under way",
      "call granted → requested": LATE_GRANT,
      "call granted → resolved": "a grant has to lapse while a read is under way",
      "run waiting → ready": "the active time of a run has to end while a read is under way",
    },
  },
  {
    name: "agent cancel",
    by: cancelRun,
    when: "Somebody cancels the run. Calls that were not sent end at once. A write that was sent is stopped, or the run waits for its outcome.",
    changes: [
      "run queued → cancelled",
      "run ready → cancelled",
      "run waiting → waiting",
      "run waiting → ready",
      "run queued → ready",
      "call asked → resolved",
      "call requested → resolved",
      "call requested → dispatched",
      "call held → resolved",
      "call held → dispatched",
      "call granted → resolved",
      "call granted → dispatched",
      "call dispatched → resolved",
      "call dispatched → dispatched",
    ],
    rare: {
      "call requested → dispatched": SENT_BEFORE,
      "call held → dispatched": SENT_BEFORE,
      "call granted → dispatched": SENT_BEFORE,
    },
  },
  {
    name: "agent follow",
    by: followWrite,
    when: "The timer of a write that ended as unknown is due, and its ledger proves no outcome yet. The agent looks again later, or gives up.",
    changes: ["call resolved → resolved"],
    rare: { "call resolved → resolved": "the invoke of a write has to be lost together with the worker that is sending the write" },
  },
  {
    name: "agent settle",
    by: followWrite,
    when: "The ledger now proves the outcome of a write that ended as unknown. The agent records this outcome in the run, and in the conversation as soon as no run is active there.",
    changes: [
      "call resolved → resolved",
      "run ready → ready",
      "run waiting → waiting",
      "run done → done",
      "run failed → failed",
      "run cancelled → cancelled",
    ],
    rare: {
      "call resolved → resolved": CUT_OFF,
      "run ready → ready": CUT_OFF,
      "run waiting → waiting": CUT_OFF,
      "run done → done": CUT_OFF,
      "run failed → failed": CUT_OFF,
      "run cancelled → cancelled": CUT_OFF,
    },
  },
  {
    name: "agent end",
    by: failRun,
    when: "A limit is reached, or the step failed for good. The next run of the conversation begins.",
    changes: ["run ready → failed", "run queued → ready"],
  },
  {
    name: "agent end",
    by: finishCancel,
    when: "A cancelled run has no open call left. The next run of the conversation begins.",
    changes: ["run ready → cancelled", "run queued → ready"],
  },
];
