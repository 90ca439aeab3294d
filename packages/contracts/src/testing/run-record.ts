import type { RunRecord } from "../run-record.ts";

export const RECORDED_RUN = "rn_05_01JD0000000000000000000001";

export const endedRun: RunRecord["run"] = {
  runId: RECORDED_RUN,
  conversationId: "cv_05_01JD0000000000000000000001",
  agent: "default",
  profile: "chat",
  input: {},
  message: null,
  ordinal: 1,
  accepted: 1,
  status: "done",
  tools: [],
  registryVersion: "",
  activeMs: 1,
  createdAt: 1,
  startedAt: 1,
  endedAt: 2,
};

/** Returns the record of a run that has ended. It has no calls and no events, and its user said `text`. */
export function runRecord(text: string): RunRecord {
  return {
    format: "toolbus-run-record/1",
    at: 1,
    origin: { tenant: "acme", principal: "una", via: "http", createdAt: 1 },
    run: endedRun,
    calls: [],
    remembered: [],
    events: [],
    transcript: [{ sequence: 1, entry: { type: "user", runId: RECORDED_RUN, text, at: 1 } }],
    tools: [],
    profile: null,
    leftOut: [],
  };
}
