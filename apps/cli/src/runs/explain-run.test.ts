import type { RunEvent, RunView } from "@toolbus/contracts";
import { expect, it } from "vitest";
import { explainRun } from "./explain-run.ts";

const T = 1_800_000_000_000;
const usage = { inputTokens: 0, outputTokens: 0, modelCalls: 1, toolCalls: 1 };
const view: RunView = {
  runId: "rn_1",
  conversationId: "cv_1",
  requester: "user:ada",
  createdAt: T,
  links: { self: "", events: "", cancel: "", answers: "" },
  status: "waiting",
  profile: "chat",
  input: { text: "Restart pay." },
};
const call = { callId: "rn_1.1.0", tool: "restart_service" } as const;
const events: RunEvent[] = [
  { type: "run.started", at: T, profile: "chat", input: {}, tools: ["restart_service"], registryVersion: "1" },
  {
    type: "turn",
    at: T + 2000,
    round: 1,
    seed: false,
    provider: "p",
    model: "m",
    text: "",
    calls: [{ ...call, transcriptId: "1", kind: "write", arguments: "{}" }],
    usage,
  },
  { type: "call.held", at: T + 2100, ...call, approvalId: "ap_1", tier: "high", effect: "Restarts pay.", expiresAt: T + 900_000 },
  { type: "call.decided", at: T + 60_000, ...call, outcome: "approved", decidedBy: ["ana"] },
];

it("explains what a waiting run has done so far, what holds it up and what to try", () => {
  const waits = [{ kind: "worker", says: "There is no worker for restart_service.", since: T + 60_000 }] as const;
  expect(explainRun({ ...view, waits: [...waits] }, events, T + 180_000)).toEqual({
    happened: [
      "user:ada asked for it 3 min ago, profile chat: Restart pay.",
      "+0 ms  It started with 1 tool.",
      "+2.0 s  Round 1: p/m asked for restart_service.",
      "+2.1 s  restart_service had to be decided by a person (high tier, ap_1): Restarts pay.",
      "+1 min  restart_service was approved by ana.",
    ],
    stands: ["It waits for 2 min now: There is no worker for restart_service."],
    next: ["toolbus doctor  # which workers are alive", "toolbus tools list", "toolbus runs cancel rn_1  # give it up"],
  });
});

it("says what became of a decision, and that nobody made an approval expire", () => {
  const said = (outcome: "expired" | "cancelled" | "limit" | "refused" | "revision_requested" | "rejected", ...decidedBy: string[]) =>
    explainRun(view, [{ type: "call.decided", at: T, ...call, outcome, decidedBy }], T).happened[1];
  expect([
    said("expired"),
    said("cancelled"),
    said("limit"),
    said("refused"),
    said("revision_requested", "ana"),
    said("rejected", "ana", "ben"),
  ]).toEqual([
    "+0 ms  The approval of restart_service expired.",
    "+0 ms  restart_service was cancelled.",
    "+0 ms  restart_service reached a limit of the policy.",
    "+0 ms  restart_service was refused by policy.",
    "+0 ms  restart_service was sent back for a revision by ana.",
    "+0 ms  restart_service was rejected by ana and ben.",
  ]);
});

it("says that an answer is cut off", () => {
  const done = { ...view, status: "done", answer: "It is", endedAt: T } as const;
  expect(explainRun({ ...done, truncated: true }, [], T).stands[0]).toMatch(
    /^The answer is cut off, .* raise limits\.maxTokens of the profile/,
  );
  expect(explainRun(done, [], T).stands[0]).toBe("It ended with an answer.");
});

it("says that a call was sent again, because its time is otherwise not explained", () => {
  const resolved: RunEvent = { type: "call.resolved", at: T + 90_000, ...call, status: "ok", latencyMs: 30_000, content: "{}", usage };
  const ended = { ...call, kind: "write", outcome: "ok", effect: "Restarts pay." } as const;
  const said = (sent?: number): string | undefined =>
    explainRun({ ...view, calls: [{ ...ended, ...(sent === undefined ? {} : { sent }) }] }, [...events, resolved], T + 180_000).happened.at(
      -1,
    );
  expect(said(2)).toBe(
    "+1 min  restart_service succeeded after 30.0 s. The agent sent it 2 times, because an answer did not come in time.",
  );
  expect(said()).toBe("+1 min  restart_service succeeded after 30.0 s.");
});

it("says which tools a run was not offered", () => {
  const choice = { matched: 40, leftOut: ["a", "b", "c", "d", "e", "f"] };
  const chosen = events.map((event) => (event.type === "run.started" ? { ...event, choice } : event));
  expect(explainRun(view, chosen, T + 180_000).happened[1]).toBe(
    "+0 ms  It started with 1 tool, the best matches of 40; left out: a, b, c, d, e and more.",
  );
});

it("says how many people a critical write waited for", () => {
  const critical = events.map((event) => (event.type === "call.held" ? { ...event, tier: "critical", approversNeeded: 2 } : event));
  expect(explainRun(view, critical, T + 180_000).happened[3]).toBe(
    "+2.1 s  restart_service had to be decided by 2 people (critical tier, ap_1): Restarts pay.",
  );
});

it("says what a failed run had done before, and what to do about its error code", () => {
  const answer = "1 write happened: restart_service, approved by ana; then the run ended: It used its time.";
  const failed = { ...view, status: "failed", code: "time_limit", answer } as const;
  const { stands, next } = explainRun(failed, events, T + 180_000);
  expect(stands).toEqual([`It ended as failed (time_limit): ${answer}`]);
  expect(next).toEqual([
    '# raise limits.activeSeconds of the profile "chat", if its model or its tools are slow',
    "toolbus chat --conversation cv_1  # ask again",
  ]);
});

it.each(["model_timeout", "authentication_failed", "network_failed"])(
  "says when doctor can ask the provider of a model that failed: %s",
  (code) => {
    expect(explainRun({ ...view, status: "failed", code }, events, T).next[0]).toBe(
      "toolbus doctor  # if this shell has the agent's LLM_* settings, it asks the model's provider",
    );
  },
);

it("gives the command for each thing that a run can wait for", () => {
  const waits = [
    { kind: "approval", says: "a", approvalId: "ap_1", until: T + 60_000 },
    { kind: "answer", says: "b", callId: "c" },
    { kind: "model", says: "c.", until: T + 5000 },
    { kind: "agent", says: "d" },
  ] as const;
  const { stands, next } = explainRun({ ...view, waits: [...waits] }, [], T);
  expect(stands).toEqual(["It waits: a It expires in 1 min.", "It waits: b", "It waits: c. That is in 5 s.", "It waits: d"]);
  expect(next).toEqual([
    "toolbus approvals show ap_1  # look at it, then approve or deny",
    'toolbus runs answer rn_1 "your answer" --call c',
    "toolbus runs watch rn_1",
    "toolbus doctor  # what is down",
    "toolbus runs cancel rn_1  # give it up",
  ]);
});

it("says what a run that ended well has changed, and what its worker's ledger says of a write whose outcome nobody knows", () => {
  const write = { callId: "rn_1.1.0", tool: "restart_service", status: "outcome_unknown", effect: "Restart pay." };
  const ended = { callId: "rn_1.1.0", tool: "restart_service", kind: "write", outcome: "outcome_unknown", effect: "Restart pay." } as const;
  const done: RunView = { ...view, status: "done", writes: { happened: 0, unknown: 1, latest: [write] } };
  const ledger = { state: "sending", attempt: 2, since: T } as const;
  const { stands, next } = explainRun({ ...done, calls: [{ ...ended, ledger, followedUntil: T + 7_200_000 }] }, [], T + 3_600_000);
  expect(stands).toEqual([
    "It ended with an answer.",
    "1 write may have happened: restart_service (Restart pay).",
    "restart_service may have happened: its worker's ledger says that it was sent to the target 1 h ago by attempt 2, and no outcome. The agent looks there for 1 h more.",
  ]);
  expect(next).toEqual(["# look at the target before you ask for the write again", "toolbus chat --conversation cv_1  # continue"]);
  const given = explainRun({ ...done, calls: [{ ...ended, ledger: { state: "done", attempt: 1, since: T } }] }, [], T + 3_600_000);
  expect(given.stands[2]).toBe(
    "restart_service may have happened: its worker recorded 1 h ago that it does not know the outcome. Nobody will learn more by waiting.",
  );
});

it("says when the outcome of a write became known, and the place of a run that waited in the queue", () => {
  const content = "The outcome of restart_service (Restart pay) was unknown and is known now: it happened.";
  const more: RunEvent[] = [
    { type: "run.queued", at: T, behind: "rn_0", position: 2 },
    { type: "call.settled", at: T + 1000, ...call, status: "ok", content },
  ];
  expect(explainRun(view, more, T).happened.slice(1)).toEqual([
    "+0 ms  It waited behind rn_0, place 2 in the queue.",
    `+1.0 s  ${content}`,
  ]);
});
