import { declared, type JsonObject, RUN_RECORD_FORMAT, RunRecord } from "@toolbus/contracts";
import { getRoute, noQuery, type Route } from "@toolbus/runtime";
import type { Gateway } from "../gateway.ts";
import { runRecord } from "../record/run-record.ts";
import { orProblem } from "../refused.ts";
import { ownRun } from "../run-access.ts";
import { CALLERS } from "./callers.ts";
import { examples, runId } from "./documented.ts";

/** Returns the route with which a run is saved so that it can be played again. */
export function recordRoutes({ state }: Pick<Gateway, "state">): readonly Route[] {
  return [
    getRoute({
      url: "/v1/runs/:id/record",
      access: CALLERS,
      docs: {
        operationId: "getRunRecord",
        tag: "Runs",
        summary: "Returns everything that is needed to play a run again without a network.",
        description:
          "The record has the run's events, transcript, calls with their results, and tool definitions. It has no secrets, grants, receipts or keys. Only an operator gets the profile with its prompt. `leftOut` says what is missing. `toolbus runs replay` plays it.",
        id: runId,
        answers: { 200: { says: "The record.", body: declared("RunRecord", RunRecord), example } },
        problems: ["expired", "not_replayable"],
      },
      query: noQuery,
      handle: async ({ id, principal }) =>
        orProblem(await runRecord(state, await ownRun(state, id, principal), { mayReadProfile: principal.roles.includes("operator") }))
          .record,
    }),
  ];
}

const AT = 1_763_718_400_000;
const NOTHING_USED = { inputTokens: 0, outputTokens: 0, modelCalls: 0, toolCalls: 0 };

/** The record of a run that was refused before it began. */
const example: JsonObject = {
  format: RUN_RECORD_FORMAT,
  at: AT + 60_000,
  origin: { tenant: "acme", principal: "una", via: "http", createdAt: AT },
  run: {
    runId: examples.runId,
    conversationId: examples.conversationId,
    agent: "default",
    profile: "chat",
    input: {},
    message: null,
    ordinal: 2,
    accepted: 7,
    status: "failed",
    tools: [],
    registryVersion: "",
    activeMs: 0,
    createdAt: AT,
    startedAt: null,
    endedAt: AT,
  },
  calls: [],
  remembered: [],
  events: [
    {
      sequence: 1,
      type: "run.failed",
      at: AT,
      code: "conversation_deleted",
      message: "The conversation was deleted before this run began, so it was not begun: send the message in another conversation.",
      report: null,
      usage: NOTHING_USED,
    },
  ],
  transcript: [],
  tools: [],
  profile: null,
  leftOut: ["Only an operator may read the profile of the run."],
};
