import { counted, type RunView } from "@toolbus/contracts";
import { readRun, readRunPage, readTools } from "../http/answers.ts";
import type { Client } from "../http/client.ts";
import { spanOf } from "../terminal/duration.ts";
import { safeText } from "../terminal/safe-text.ts";
import { SELF } from "../toolbus/self.ts";
import { type Check, fail, ok } from "./check.ts";
import { findingOf } from "./finding-of.ts";

/** The longest normal wait for a worker or for the approvals service, which answer within seconds. People and models may take any time. */
const LONG_MS = 60_000;
const LOOKED_AT = 20;
const WAITED_FOR: ReadonlySet<string> = new Set(["worker", "approvals"]);

/**
 * Checks whether runs of this key wait too long for a worker or for the approvals service. `here` is this machine's time, for a gateway that does
 * not report the store's time.
 */
export function checkWaits(gateway: Client, here: number): Promise<Check> {
  const name = "runs";
  return findingOf(name, async () => {
    const { asOf: now = here } = readTools(await gateway.get("/v1/tools"));
    const { runs } = readRunPage(await gateway.get(`/v1/runs?status=waiting&limit=${LOOKED_AT}`));
    const open = await Promise.all(runs.map(async ({ runId }) => readRun(await gateway.get(`/v1/runs/${runId}`))));
    const stuck = open.flatMap((run) => {
      const wait = (run.waits ?? []).find(({ kind, since }) => WAITED_FOR.has(kind) && since !== undefined && now - since > LONG_MS);
      return wait ? [{ run, wait, age: now - (wait.since ?? now) }] : [];
    });
    const [longest] = stuck.toSorted((a, b) => b.age - a.age);
    if (!longest) return ok(name, await waiting(gateway, open));
    const others = stuck.length === 1 ? "" : ` ${stuck.length - 1} more ${stuck.length === 2 ? "waits" : "wait"} like it.`;
    return fail(
      name,
      safeText(`${longest.run.runId} waits for ${spanOf(longest.age)}: ${longest.wait.says.replace(/\.$/, "")}.${others}`),
      `"${SELF} runs why ${safeText(longest.run.runId)}" says what happened so far and what to try.`,
    );
  });
}

/** Says that nothing waits too long. People may take any time, so the runs that wait for them are only counted. */
async function waiting(gateway: Client, open: readonly RunView[]): Promise<string> {
  const lists = await Promise.all(
    FOR_PEOPLE.map(async (status) => readRunPage(await gateway.get(`/v1/runs?status=${status}&limit=${LOOKED_AT}`)).runs.length),
  );
  const people = lists.reduce((sum, length) => sum + length, 0);
  const many = lists.includes(LOOKED_AT) ? `at least ${people} runs` : counted(people, "run");
  const others =
    open.length > 0
      ? `; ${counted(open.length, "run")} ${open.length === 1 ? "waits" : "wait"} for a shorter time or for something else`
      : "";
  const decide = people > 0 ? `; ${many} ${people === 1 ? "waits" : "wait"} for people to decide or to answer` : "";
  return `none of this key waits for over ${spanOf(LONG_MS)} for a worker or for the approvals service${others}${decide}`;
}

const FOR_PEOPLE = ["awaiting_approval", "awaiting_answer"] as const;
