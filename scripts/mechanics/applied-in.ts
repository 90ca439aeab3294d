import { readFileSync } from "node:fs";
import path from "node:path";

/** Where the code applies a setting. */
export interface Applied {
  /** The path of the file, relative to the root of the repository. */
  readonly file: string;
  /** The name that the value has in this file. By default it is the name of the setting. */
  readonly as?: string;
}

const approval: Applied = { file: "services/approvals/src/machine/approval.ts" };
const accept: Applied = { file: "services/gateway/src/accept.ts" };
const draft: Applied = { file: "services/agent/src/transitions/draft.ts" };
const failedStep: Applied = { file: "services/agent/src/steps/failed-step.ts" };
const resendAfter: Applied = { file: "services/agent/src/transitions/resend-after.ts" };

/** The places in the code that apply each setting that is a time. */
export const appliedIn: Readonly<Record<string, readonly Applied[]>> = {
  APPROVAL_EXPIRY_MS: [approval, { file: "services/approvals/src/requests/requests.ts" }],
  ASK_EXPIRY_MS: [{ file: "services/agent/src/transitions/ask.ts" }],
  CALL_NOT_AFTER_MS: [{ file: "services/agent/src/transitions/dispatch-call.ts" }],
  CLOCK_SKEW_WARN_MS: [{ file: "packages/state/src/store-clock.ts", as: "skewWarnMs" }],
  DEAD_LETTERS_KEPT_MS: [{ file: "services/tool-executor/src/toolsets/operations/keep-letter.ts", as: "keptMs" }],
  DRAIN_MS: [{ file: "packages/runtime/src/run-services.ts" }],
  EXECUTE_BY_MS: [approval],
  FINISHED_RUN_MS: [draft],
  FOLLOW_OUTCOME_MS: [{ file: "services/agent/src/transitions/follow.ts" }],
  GRANT_TTL_MS: [approval],
  HELD_CHECK_MS: [{ file: "services/agent/src/transitions/decided.ts" }],
  LEDGER_LEASE_MS: [
    { file: "packages/tool-kit/src/writes/ledger.ts", as: "leaseMs" },
    { file: "services/agent/src/transitions/redispatch.ts" },
  ],
  LEDGER_RENEW_MS: [{ file: "packages/tool-kit/src/writes/ledger-hold.ts", as: "renewMs" }],
  MODEL_RETRY_AFTER_MAX_MS: [failedStep],
  MODEL_RETRY_MAX_MS: [failedStep],
  MODEL_RETRY_MS: [failedStep],
  MODEL_SILENCE_MS: [{ file: "packages/models/src/adapter/bounded-response.ts", as: "silenceMs" }],
  MODEL_TIMEOUT_MS: [{ file: "services/agent/src/steps/advance.ts" }],
  ORIGIN_OPEN_MS: [accept],
  OUTBOX_VISIBILITY_MS: [{ file: "packages/runtime/src/outbox.ts", as: "visibilityMs" }],
  POLL_MS: [
    { file: "packages/runtime/src/timer-loop.ts", as: "pollMs" },
    { file: "packages/runtime/src/outbox.ts", as: "pollMs" },
  ],
  REDISPATCH_MAX_MS: [resendAfter],
  REDISPATCH_MS: [resendAfter],
  RESUME_WRITES_AFTER_MS: [{ file: "services/approvals/src/eras/era.ts", as: "resumeAfterMs" }],
  RUN_LEASE_MS: [{ file: "services/agent/src/transitions/acquire.ts" }],
  RUN_RENEW_MS: [{ file: "services/agent/src/steps/lease-keeper.ts" }],
  MCP_WAIT_MS: [{ file: "services/gateway/src/mcp/mcp-handler.ts" }],
  SSE_PING_MS: [{ file: "services/gateway/src/stream/stream-run.ts" }],
  STREAM_TICKET_MS: [{ file: "services/gateway/src/stream/stream-ticket.ts" }],
  WAKE_REPEAT_MS: [accept],
  WEBHOOK_RETRIES_S: [{ file: "packages/runtime/src/webhooks/webhook-delivery.ts", as: "retriesMs" }],
  WORKING_MEMORY_TTL_MS: [draft],
};

/** Returns links to the code that applies a setting. Throws if the list has no such setting, or if a file does not contain the name any more. */
export function linksOf(root: string, setting: string, applied: Readonly<Record<string, readonly Applied[]>>): string {
  const places = applied[setting] ?? [];
  if (places.length === 0) throw new Error(`No file applies ${setting}: add it to scripts/mechanics/applied-in.ts.`);
  return places
    .map(({ file, as = setting }) => {
      const lacks = !new RegExp(`\\b${as}\\b`).test(readFileSync(path.join(root, file), "utf8"));
      if (lacks) throw new Error(`${file} has no "${as}", which is ${setting}: correct scripts/mechanics/applied-in.ts.`);
      return `[${path.basename(file)}](../${file})`;
    })
    .join(", ");
}
