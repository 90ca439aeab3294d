import { CallEvidence, declared, ID_PATTERNS } from "@toolbus/contracts";
import { getRoute, noQuery, type Route } from "@toolbus/runtime";
import { callEvidence } from "../call-evidence.ts";
import type { Gateway } from "../gateway.ts";
import { orProblem } from "../refused.ts";
import { examples } from "./documented.ts";

/** Returns the route with which operators export what the gateway knows about a call. */
export function evidenceRoutes({ state, identity }: Pick<Gateway, "state" | "identity">): readonly Route[] {
  return [
    getRoute({
      url: "/v1/calls/:id/evidence",
      access: ["operator"],
      docs: {
        operationId: "getCallEvidence",
        tag: "Runs",
        summary: "Exports a call with its result and the worker's receipt, signed by the gateway.",
        description:
          "The gateway signs that the store had this. The agent wrote the call, so only what the receipt covers is proven. `toolbus evidence` puts it into one file with the part of approvals.",
        id: { says: "The call.", pattern: ID_PATTERNS.call, example: examples.callId },
        answers: { 200: { says: "The evidence.", body: declared("CallEvidence", CallEvidence), example } },
        problems: ["expired"],
      },
      query: noQuery,
      handle: async ({ id, principal }) => orProblem(await callEvidence({ state, signer: identity.signer }, id, principal)).evidence,
    }),
  ];
}

const example = {
  part: {
    callId: examples.callId,
    tenant: "acme",
    call: { toolName: "issue_refund", kind: "write", state: "resolved" },
    result: { status: "ok", content: '{"refunded":149.99}', isError: false },
    receipt: "eyJhbGciOiJFZDI1NTE5Iiwia2lkIjoi….…",
  },
  statement: "eyJhbGciOiJFZDI1NTE5Iiwia2lkIjoi….…",
};
