import { HttpProblem } from "@toolbus/runtime";
import type { NotDecided } from "./decision-outcome.ts";

/** Returns a refusal as an HTTP problem. If the approval has ended, `errors` has its final state for machines, and the detail has it for people. */
export function problemOf({ why, reason, approval, problems = [] }: NotDecided): HttpProblem {
  const state = approval ? { errors: [{ path: "/status", message: approval.status }] } : {};
  switch (why) {
    case "not_found":
      return notFound();
    case "self_approval":
    case "forbidden":
      return new HttpProblem(why, reason, { remedy: "Ask another approver, or read the approval again for a token of your own." });
    case "not_in_batch":
      return new HttpProblem("forbidden", reason, { remedy: "Read its card, and send this decision in a request of its own." });
    case "token_used":
    case "already_decided":
    case "expired":
      return new HttpProblem(why, reason, { remedy: "Read the approval again to see how it ended.", ...state });
    case "ticket_missing":
      return new HttpProblem("invalid_request", reason, {
        remedy: "Send the ticket's id.",
        errors: [{ path: "/ticket", message: "is required" }],
      });
    case "ticket_wrong":
      return new HttpProblem("invalid_request", reason, {
        remedy: "Send a ticket of this form.",
        errors: [{ path: "/ticket", message: "has another form" }],
      });
    case "damaged":
      return new HttpProblem("conflict", reason, {
        remedy: 'An operator should check "toolbus approvals adopt" and the security events; a new run can ask for the write again.',
      });
    case "arguments_changed":
      return new HttpProblem("conflict", reason, { remedy: "Read the approval again, and send the argumentsHash of its card.", ...state });
    case "not_planned":
      return new HttpProblem("conflict", reason, {
        remedy: "Read the approval again in a moment. If its worker is down, an operator has to start it. You can deny the write now.",
        ...state,
      });
    case "plan_changed":
      return new HttpProblem("conflict", reason, { remedy: "Read the approval again, and send the planHash of its card.", ...state });
    case "edit_refused":
      return new HttpProblem("invalid_request", reason, {
        remedy:
          problems.length > 0
            ? "Send all arguments of the write as its schema demands, or ask for a revision."
            : "Approve it as it is, deny it, or ask for a revision.",
        errors: problems.map(({ path, message }) => ({ path: path.startsWith("/arguments") ? path : `/arguments${path}`, message })),
      });
    case "pin_changed":
      return new HttpProblem("conflict", reason, { remedy: "Deny it; a new run asks with the definition that is enabled." });
  }
}

/** Returns the problem for an approval that the caller's tenant does not have. */
export function notFound(): HttpProblem {
  return new HttpProblem("not_found", "There is no such approval.", {
    remedy: "Check the id; approvals of other tenants are not shown.",
  });
}
