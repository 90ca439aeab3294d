import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Answer, ask } from "../redteam/http.ts";
import { othersRuns } from "../redteam/others-runs.ts";
import { textIn } from "../redteam/text-in.ts";
import { atATime } from "./at-a-time.ts";
import { faultsOf, startWatchedSystem, type WatchedSystem } from "./watched-system.ts";

const PLACES = 5;
const STARTED = 300;

describe("a principal who starts run after run, each service in a separate process", () => {
  let watched: WatchedSystem;
  beforeAll(async () => {
    watched = await startWatchedSystem("nats", { RUNS_PER_PRINCIPAL: String(PLACES) });
  });
  afterAll(() => watched?.[Symbol.asyncDispose]());

  it(`has ${PLACES} of ${STARTED} accepted, learns why the others are not, and gets each place back when a run ends`, async () => {
    const { arena, system } = watched;
    const before = await accepted();
    const watch = watched.watch();
    const others = othersRuns(arena);
    const answers: Answer[] = [];
    // Each run waits for a decision, so it stays active. Each has its own conversation, so no run waits behind another.
    await atATime(25, STARTED, async () => void answers.push(await start(await spoken(), `send_payment ${ARGUMENTS}`)));
    const ends = await others.end();
    const stored = (await accepted()) - before;
    const health = await watch.end();
    const runs = answers.filter(({ status }) => status === 202);
    const refused = answers.filter(({ status }) => status !== 202);
    console.log(
      `${STARTED} runs of one principal: ${runs.length} accepted, ${refused.length} refused with ${refused[0]?.status} "${textIn(refused[0]?.body["detail"] ?? "")}"; ` +
        `${ends.length} runs of others, each done; slowest /healthz: ${JSON.stringify(health.slowest)}`,
    );
    expect(runs).toHaveLength(PLACES);
    for (const { status, body } of refused) {
      expect(status).toBe(429);
      expect(body).toMatchObject({
        code: "rate_limited",
        detail: `This principal has ${PLACES} runs under way, the maximum at a time.`,
        remedy: "Start another when one has ended, or cancel one.",
      });
    }
    // The gateway stores nothing about a refused request.
    expect(stored - ends.length).toBe(PLACES);
    expect(faultsOf(watched, health)).toEqual([]);
    expect(ends.filter((end) => end !== "run.completed ok")).toEqual([]);

    // One run is cancelled and one is decided. This frees exactly two places.
    const [first, second] = runs.map(({ body }) => textIn(body["runId"])) as [string, string];
    expect(await ask(arena.gateway(`/v1/runs/${first}/cancel`), system.people.rita, {})).toMatchObject({ status: 202 });
    await arena.until("the second to be held", async () =>
      (await arena.events(second)).some(({ type }) => type === "call.held") ? true : null,
    );
    const { callId, approvalId } = heldCallOf(second);
    await arena.decide({ runId: second, callId, approvalId, args: { payee: "BAKERY", amount: 1 }, tool: "send_payment" }, "deny");
    for (const runId of [first, second]) await arena.ended(runId);
    const again: number[] = [];
    for (let n = 0; n < 3; n++) again.push((await start(await spoken(), `send_payment ${ARGUMENTS}`)).status);
    expect(again).toEqual([202, 202, 429]);
  });

  async function spoken(): Promise<string> {
    const { arena, system } = watched;
    const said = await ask(arena.gateway("/v1/conversations"), system.people.rita, { profile: "direct" });
    return textIn(said.body["conversationId"]);
  }

  function start(conversationId: string, text: string): Promise<Answer> {
    return ask(watched.arena.gateway(`/v1/conversations/${conversationId}/messages`), watched.system.people.rita, { text });
  }

  /** Returns the number of runs that the gateway has accepted from all users. */
  async function accepted(): Promise<number> {
    return Number(await watched.arena.eye.redis("EVAL", "return #redis.call('KEYS', 'tb:origin:*:rn_*')", "0"));
  }
});

const ARGUMENTS = JSON.stringify({ payee: "BAKERY", amount: 1 });

/** Returns the ids of the only call of a run in this test. */
function heldCallOf(runId: string): { readonly callId: string; readonly approvalId: string } {
  const callId = `${runId}.1.0`;
  return { callId, approvalId: `ap_${callId}` };
}
