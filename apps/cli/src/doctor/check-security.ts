import { counted, type SecurityEventView } from "@toolbus/contracts";
import { readSecurityEvents } from "../http/answers.ts";
import type { Client } from "../http/client.ts";
import { spanOf } from "../terminal/duration.ts";
import { safeText } from "../terminal/safe-text.ts";
import { type Check, ok, warn } from "./check.ts";

/** The page with a row for every kind, and the heading of the table. A test compares the page with the kinds that the services can record. */
export const KINDS_PAGE = { file: "docs/approvals.md", heading: "Kinds of security events" } as const;

/** Reports the newest security event of the last day. */
export async function checkSecurity(approvals: Client, now: number): Promise<Check> {
  const name = "security";
  const { count, events } = readSecurityEvents(await approvals.get("/v1/security?limit=1"));
  const [newest] = events;
  if (!newest) return ok(name, "nothing was refused within a day");
  const { kind, at, approvalId } = newest;
  const why = textOf(newest, "why");
  const about = [kind, ...(why === null ? [] : [why]), ...partiesOf(newest), ...(approvalId === undefined ? [] : [approvalId])].join(", ");
  return warn(
    name,
    safeText(`${counted(count, "event")} within a day; the newest ${spanOf(Math.max(0, now - at))} ago: ${about}.`),
    safeText(
      `${causeOf(newest)}${KINDS_PAGE.file}, "${KINDS_PAGE.heading}", says what each kind means; GET /v1/security of approvals lists them.`,
    ),
  );
}

/**
 * Returns who recorded the event and who sent the message in question. The sender of a call did not write the ledger or the era, so these kinds name
 * only the service that reported them.
 */
function partiesOf(event: SecurityEventView): string[] {
  const { kind, by } = event;
  const recordedBy = textOf(event, "recordedBy");
  if (recordedBy === null) return [`by ${by}`];
  const reported = `reported by ${recordedBy}`;
  return by === recordedBy || IN_THE_STORE.test(kind) ? [reported] : [reported, `in a message of ${by}`];
}

function causeOf(event: SecurityEventView): string {
  if (!SIGNED_BY_A_WORKER.test(event.kind)) return "";
  const toolset = textOf(event, "toolset") ?? textOf(event, "recordedBy")?.replace(/^worker\./, "");
  const which = toolset === undefined || toolset === "agent" ? "" : ` of ${toolset}`;
  return `Probably a worker${which} signs with a key that is not of its toolset: check its RECEIPT_KEY_FILE. `;
}

function textOf({ details }: SecurityEventView, field: string): string | null {
  const value = details?.[field];
  return typeof value === "string" ? value : null;
}

const IN_THE_STORE = /^(?:ledger|era)_/;
const SIGNED_BY_A_WORKER = /^(?:ledger|answer)_(?:forged|unknown_key)$/;
