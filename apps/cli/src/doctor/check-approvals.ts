import { counted } from "@toolbus/contracts";
import { readEra, readRefused, readWrites } from "../http/answers.ts";
import { Answered, type Client } from "../http/client.ts";
import { spanOf } from "../terminal/duration.ts";
import { safeText } from "../terminal/safe-text.ts";
import { EXIT } from "../toolbus/exit-codes.ts";
import { SELF } from "../toolbus/self.ts";
import { isWaiting } from "../writes/list-writes.ts";
import { type Check, fail, ok, warn } from "./check.ts";
import { checkSecurity } from "./check-security.ts";
import { findingOf } from "./finding-of.ts";

/**
 * Reports what an operator must handle at approvals: writes to enable, shards that lost writes, documents that approvals does not accept, and recent
 * refusals.
 */
export async function checkApprovals(approvals: Client, now: number): Promise<Check[]> {
  return Promise.all([
    seenByOperator("writes", () => checkWrites(approvals)),
    seenByOperator("lost writes", () => checkLosses(approvals, now)),
    seenByOperator("documents", () => checkDocuments(approvals)),
    seenByOperator("security", () => checkSecurity(approvals, now)),
  ]);
}

async function checkWrites(approvals: Client): Promise<Check> {
  const name = "writes";
  const { writes } = readWrites(await approvals.get("/v1/writes"));
  const refused = writes.filter(({ quarantined }) => quarantined);
  const [first] = refused;
  if (first?.quarantined) {
    const { pointer, reason } = first.quarantined;
    const names = refused.map(({ tool, version }) => `${tool}@${version}`).join(", ");
    return fail(
      name,
      safeText(`${names} ${refused.length === 1 ? "is" : "are"} quarantined: ${pointer}: ${reason}`),
      safeText(`Its worker has to register a definition without that; "${SELF} tools show ${first.tool} --diff" says more.`),
    );
  }
  const waiting = writes.filter(isWaiting);
  if (waiting.length === 0) return ok(name, `${writes.length} registered, none waits for an operator`);
  const shown = waiting.map(({ tool, version, state }) => safeText(`${tool}@${version} (${state})`)).join(", ");
  return fail(
    name,
    `${shown} ${waiting.length === 1 ? "waits" : "wait"} for an operator: a write that is not enabled is refused.`,
    `"${SELF} tools pending" lists them.`,
  );
}

/** Checks whether shards are held because the store lost writes. */
async function checkLosses(approvals: Client, now: number): Promise<Check> {
  const name = "lost writes";
  const held = readEra(await approvals.get("/v1/era")).lost.filter((one) => one.held);
  if (held.length === 0) return ok(name, "no shard is held because the store lost some of it");
  const noticed = spanOf(Math.max(0, now - Math.min(...held.map(({ lostAt }) => lostAt))));
  return fail(
    name,
    `The store lost writes of ${counted(held.length, "shard")}, noticed ${noticed} ago: writes there that cannot be repeated safely do not begin.`,
    `"${SELF} era show" names them and the command that resumes them; docs/operations.md, "When the store lost writes", says what to check first.`,
  );
}

async function checkDocuments(approvals: Client): Promise<Check> {
  const name = "documents";
  const { documents } = readRefused(await approvals.get("/v1/refused"));
  if (documents.length === 0) return ok(name, "all pending approvals and enabled writes are as approvals stored them");
  const unsealed = documents.filter(({ why }) => why === "unsealed").length;
  const others = documents.length - unsealed;
  const what = [
    ...(unsealed > 0 ? [`${unsealed} without a seal`] : []),
    ...(others > 0 ? [`${others} that somebody else wrote or put back, or that approvals signed with another key`] : []),
  ].join(", ");
  const says = `Approvals ${documents.length === 1 ? "does not act on 1 document" : `does not act on ${documents.length} documents`}: ${what}.`;
  const fix = `"${SELF} approvals adopt" shows them and asks about those without a seal.`;
  if (documents.some(({ kind }) => kind === "chain"))
    return fail(
      name,
      `${says} Approvals chains no record of the audit.`,
      `${fix} docs/audit.md, "If the end of a chain is forged", says what to do.`,
    );
  return others > 0 ? fail(name, says, fix) : warn(name, says, fix);
}

/**
 * Runs a check that needs an operator's key. If the key is not an operator's, the check reports only that it was skipped, because such a key is not a
 * fault.
 */
function seenByOperator(name: string, look: () => Promise<Check>): Promise<Check> {
  return findingOf(name, async () => {
    try {
      return await look();
    } catch (error) {
      if (!(error instanceof Answered && error.exitCode === EXIT.notAllowed)) throw error;
      return ok(name, "not checked: this needs an operator's key at approvals");
    }
  });
}
