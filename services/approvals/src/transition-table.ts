import type { Approval, Transition } from "@toolbus/contracts";
import { refusedDocuments } from "./sealed/refused-documents.ts";
import { createSeals } from "./sealed/reseal.ts";
import { cancel, decide, expire, hold, resend } from "./machine/approval.ts";
import { askPlanAgain, drifted, planned, unplannable } from "./machine/plan-moves.ts";
import { refuseStored } from "./machine/refuse-stored.ts";

type Status = Approval["status"];
type ApprovalChange = `approval ${Status | "none"} → ${Status}`;

const STORE_CHANGED = "only approvals writes approvals into the simulated store";
const NO_REFUSAL = "the policy of the simulated tools refuses nothing";
const NO_OPERATOR = "no operator changes a key in the simulation";

/** Every transition of approvals. In this table, a document that approvals did not seal counts as missing. */
export const approvalTransitions: readonly Transition<ApprovalChange>[] = [
  {
    name: "approvals hold",
    by: hold,
    when: "A request for a write arrives for the first time. Approvals asks people, or policy ends it at once.",
    changes: ["approval none → pending", "approval none → approved", "approval none → limit", "approval none → refused"],
    rare: { "approval none → refused": NO_REFUSAL },
  },
  {
    name: "approvals decide",
    by: decide,
    when: "One person decides. A denial or a revision ends the approval. A decision to approve ends it once enough people have approved.",
    changes: [
      "approval pending → pending",
      "approval pending → approved",
      "approval pending → rejected",
      "approval pending → revision_requested",
    ],
  },
  { name: "approvals expire", by: expire, when: "Nobody decided in time.", changes: ["approval pending → expired"] },
  {
    name: "approvals cancel",
    by: cancel,
    when: "The agent no longer needs the write. An approved write stays approved, but gets no fresh grant.",
    changes: ["approval pending → cancelled", "approval approved → approved"],
  },
  {
    name: "approvals resend",
    by: resend,
    when: "A request comes again. Approvals sends the answer again under a new number, with a fresh grant if needed.",
    changes: [
      "approval pending → pending",
      "approval approved → approved",
      "approval rejected → rejected",
      "approval revision_requested → revision_requested",
      "approval expired → expired",
      "approval cancelled → cancelled",
      "approval limit → limit",
      "approval refused → refused",
    ],
    rare: {
      "approval cancelled → cancelled": "a request has to arrive after its own cancel",
      "approval refused → refused": NO_REFUSAL,
    },
  },
  {
    name: "approvals planned",
    by: planned,
    when: "The worker says what the write will change. From now on people can approve it.",
    changes: ["approval pending → pending"],
  },
  {
    name: "approvals ask-plan",
    by: askPlanAgain,
    when: "The worker has not planned the write for a while.",
    changes: ["approval pending → pending"],
  },
  {
    name: "approvals unplannable",
    by: unplannable,
    when: "The worker cannot plan the write. Approvals refuses the write and asks nobody to decide.",
    changes: ["approval pending → refused"],
  },
  {
    name: "approvals drifted",
    by: drifted,
    when: "The target has changed since people approved the plan. People decide about the new plan, or the write ends.",
    changes: ["approval approved → pending", "approval approved → refused"],
    rare: { "approval approved → refused": "a target has to change after an approval, in a way that the write can no longer be planned" },
  },
  {
    name: "approvals refuse",
    by: refuseStored,
    when: "The time of a pending approval without a genuine seal is over, and no operator adopted it.",
    changes: ["approval pending → refused"],
    rare: { "approval pending → refused": STORE_CHANGED },
  },
  {
    name: "approvals adopt",
    by: refusedDocuments,
    when: "An operator vouches for a pending approval that has no seal.",
    changes: ["approval pending → pending"],
    rare: { "approval pending → pending": STORE_CHANGED },
  },
  {
    name: "approvals reseal",
    by: createSeals,
    when: "An operator has approvals seal documents again with the current key.",
    changes: [
      "approval pending → pending",
      "approval approved → approved",
      "approval rejected → rejected",
      "approval revision_requested → revision_requested",
      "approval expired → expired",
      "approval cancelled → cancelled",
      "approval limit → limit",
      "approval refused → refused",
    ],
    rare: {
      "approval pending → pending": NO_OPERATOR,
      "approval approved → approved": NO_OPERATOR,
      "approval rejected → rejected": NO_OPERATOR,
      "approval revision_requested → revision_requested": NO_OPERATOR,
      "approval expired → expired": NO_OPERATOR,
      "approval cancelled → cancelled": NO_OPERATOR,
      "approval limit → limit": NO_OPERATOR,
      "approval refused → refused": NO_OPERATOR,
    },
  },
];
