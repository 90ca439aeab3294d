import { isJsonObject, type JsonObject, keys, parseInboxEntry, parseRunOrigin, shardOf } from "@toolbus/contracts";
import { type StateStore, StoreUnavailable } from "@toolbus/state";
import { silentLog } from "@toolbus/telemetry";
import { describe, expect, it } from "vitest";
import { completed } from "../testing/agent-under-test.ts";
import { alertMessage, sentAlert } from "../testing/alerts-under-test.ts";
import { type Answer, type Asking, setup } from "../testing/gateway-under-test.ts";
import { problemOf } from "../testing/problem-under-test.ts";

const ROUTE = "/v1/triggers/alertmanager";
const RESOLVED = { status: "resolved", endsAt: "2026-11-21T09:30:00Z" };

/** The messages that start a new run although the first alert already has its run. */
const ANEW: readonly { readonly what: string; readonly message: JsonObject }[] = [
  { what: "fires again", message: alertMessage([sentAlert(1, { startsAt: "2026-11-21T12:00:00Z" })]) },
  { what: "is another one", message: alertMessage([sentAlert(2)]) },
  { what: "is of another group", message: alertMessage([sentAlert(1)], { groupKey: '{}/{team="b"}:{}' }) },
];

type T = Awaited<ReturnType<typeof setup>>;

describe("the webhook of an Alertmanager", () => {
  it("starts an investigation of each firing alert on behalf of the trigger, and reports the outcome for each", async () => {
    await using t = await setup();
    const answer = await send(t, alertMessage([sentAlert(1), sentAlert(2, RESOLVED), sentAlert(3)]));
    const [first, , third] = alertsIn(answer);
    expect(answer).toMatchObject({
      status: 202,
      body: {
        alerts: [
          { fingerprint: "0000000000000001", outcome: "started" },
          { fingerprint: "0000000000000002", outcome: "ignored", reason: "resolved" },
          { fingerprint: "0000000000000003", outcome: "started" },
        ],
        truncated: 0,
      },
    });
    expect(new Set(await runsOf(t))).toEqual(new Set([first?.runId, third?.runId]));
    const runId = first?.runId ?? "";
    const { documents } = await t.store.read([keys.runOrigin(runId), keys.inbox(shardOf(runId), runId)]);
    expect(parseRunOrigin(documents[0]?.value)).toMatchObject({
      ok: true,
      value: { principal: "alma", tenant: "acme", scopes: ["tools:read"] },
    });
    const { endsAt: _, ...alert } = sentAlert(1);
    expect(documents[1]?.value).toMatchObject({
      profile: "alert-investigation",
      text: expect.stringMatching(/^Investigate the alert HighErrorRate of checkout, which is firing: 5 % of checkouts fail\.\n/),
      input: { alert },
    });
  });

  it("starts runs that operators of its tenant can see", async () => {
    await using t = await setup();
    const [alert] = alertsIn(await send(t, alertMessage([sentAlert(1)])));
    const seen = async (who: "otto" | "una" | "olga") => (await t.ask(who, `/v1/runs/${alert?.runId}`)).status;
    expect([await seen("otto"), await seen("una"), await seen("olga")]).toEqual([200, 404, 404]);
  });

  it("starts nothing for a repeated alert, whatever its annotations now say, and names its run", async () => {
    await using t = await setup();
    const first = alertsIn(await send(t, alertMessage([sentAlert(1), sentAlert(2)])));
    const later = { annotations: { summary: "9 % of checkouts fail" }, startsAt: "2026-11-21T10:00:00.103+01:00" };
    const again = alertsIn(
      await send(t, alertMessage([sentAlert(2, later), sentAlert(1)], { notification_reason: "repeat interval elapsed" })),
    );
    expect(again.map(({ outcome, runId }) => [outcome, runId])).toEqual(first.toReversed().map(({ runId }) => ["repeated", runId]));
    expect(await runsOf(t)).toHaveLength(2);
  });

  it.each(ANEW)("starts another run for an alert that $what", async ({ message }) => {
    await using t = await setup();
    await send(t, alertMessage([sentAlert(1)]));
    await send(t, alertMessage([sentAlert(1, RESOLVED)]));
    expect(alertsIn(await send(t, message))).toMatchObject([{ outcome: "started" }]);
    expect(await runsOf(t)).toHaveLength(2);
  });

  it("makes one run of a duplicate alert, and of messages that race", async () => {
    await using t = await setup();
    expect(alertsIn(await send(t, alertMessage([sentAlert(1), sentAlert(1)]))).map(({ outcome }) => outcome)).toEqual([
      "started",
      "repeated",
    ]);
    const racing = await Promise.all(Array.from({ length: 4 }, () => send(t, alertMessage([sentAlert(1), sentAlert(2), sentAlert(3)]))));
    expect(racing.map(({ status }) => status)).toEqual([202, 202, 202, 202]);
    expect(await runsOf(t)).toHaveLength(3);
  });

  it("reports how many alerts its max_alerts has left out, in the answer and in the log", async () => {
    const warned: object[] = [];
    await using t = await setup({ log: { ...silentLog, warn: (fields: object) => void warned.push(fields) } });
    const answer = await send(t, alertMessage([sentAlert(1)], { truncatedAlerts: 7 }));
    expect(answer.body["truncated"]).toBe(7);
    expect(warned).toEqual([{ truncated: 7, groupKey: '{}:{alertname="HighErrorRate"}' }]);
  });

  it("truncates texts that are too long to be stored, and still investigates", async () => {
    await using t = await setup();
    const long = sentAlert(1, {
      annotations: { description: "d".repeat(90_000), summary: "It burns" },
      generatorURL: `http://p/?${"e".repeat(9000)}`,
    });
    const wide = sentAlert(2, { annotations: Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`a${i}`, "w".repeat(1900)])) });
    const [first, second] = alertsIn(await send(t, alertMessage([long, wide])));
    expect([first?.outcome, second?.outcome]).toEqual(["started", "started"]);
    const texts = await annotationsOf(t, first?.runId ?? "");
    expect(texts["summary"]).toBe("It burns");
    expect(texts["description"]).toBe(`${"d".repeat(2000)}\n[truncated: 88000 more characters left out]`);
    expect((await annotationsOf(t, second?.runId ?? ""))["a7"]).toBe(`${"w".repeat(300)}\n[truncated: 1600 more characters left out]`);
  });

  it("learns which alert cannot be stored at all, while the others get their runs", async () => {
    await using t = await setup();
    const labels = Object.fromEntries(Array.from({ length: 900 }, (_, i) => [`label_of_some_length_${i}`, "a value of some length"]));
    const answer = await send(t, alertMessage([sentAlert(1, { labels }), sentAlert(2)]));
    expect(problemOf(answer)).toEqual({ status: 413, code: "body_too_large" });
    expect(answer.body["detail"]).toMatch(/^1 of the 2 alerts have their runs, and 1 cannot be investigated: The subject takes/);
    expect(answer.body["errors"]).toMatchObject([{ path: "/alerts/0" }]);
    expect(await runsOf(t)).toHaveLength(1);
  });

  it.each<{ what: string; body: Asking["body"]; errors?: readonly object[] }>([
    { what: "no body", body: undefined },
    { what: "what is not JSON", body: '{"version":' },
    { what: "a list", body: [] },
    { what: "another version", body: alertMessage([], { version: "3" }), errors: [{ path: "/version", message: 'must be "4"' }] },
    { what: "no alerts", body: { version: "4", groupKey: "{}" }, errors: [{ path: "/alerts", message: "is required" }] },
    {
      what: "an alert without a fingerprint",
      body: { version: "4", groupKey: "{}", alerts: [{ status: "firing", labels: {}, startsAt: "2026-11-21T09:00:00Z" }] },
      errors: [{ path: "/alerts/0/fingerprint", message: "is required" }],
    },
    {
      what: "an invalid time",
      body: alertMessage([sentAlert(1, { startsAt: "yesterday" })]),
      errors: [{ path: "/alerts/0/startsAt", message: 'must match format "date-time"' }],
    },
    {
      what: "a label that is not a text",
      body: alertMessage([sentAlert(1), sentAlert(2, { labels: { cpu: 4 } })]),
      errors: [{ path: "/alerts/1/labels/cpu", message: "must be string" }],
    },
  ])("is refused $what with what to send, and starts nothing", async ({ body, errors }) => {
    await using t = await setup();
    const answer = await t.ask("alma", ROUTE, { method: "POST", ...(body === undefined ? {} : { body }) });
    expect(answer.status).toBe(400);
    expect(answer.body["remedy"]).toMatch(/^(?:Have Alertmanager send its own body, version 4|Check it with a JSON validator)/);
    if (errors) expect(answer.body["errors"]).toEqual(errors);
    expect(await runsOf(t)).toEqual([]);
  });

  it("is refused more than 256 KiB", async () => {
    await using t = await setup();
    const answer = await send(t, alertMessage([sentAlert(1, { annotations: { description: "d".repeat(256 * 1024) } })]));
    expect(problemOf(answer)).toEqual({ status: 413, code: "body_too_large" });
  });
});

describe("alerts for which there is no room", () => {
  const FOUR = alertMessage([sentAlert(1), sentAlert(2), sentAlert(3), sentAlert(4)]);

  it("are answered so that Alertmanager retries while their principal has the maximum of active runs; then they start", async () => {
    await using t = await setup({ env: { RUNS_PER_PRINCIPAL: "2" } });
    const first = await send(t, FOUR);
    // Alertmanager sends a message again only after a 5xx answer. After 429, the alerts would be lost.
    expect(problemOf(first)).toEqual({ status: 503, code: "incomplete" });
    expect(first.headers.get("retry-after")).toBe("10");
    expect(first.body).toMatchObject({
      detail: "2 of the 4 alerts have their runs, and 2 have none: This principal has 2 runs under way, the maximum at a time.",
      remedy: "Send the same message again: no run is started twice.",
      errors: [
        { path: "/alerts/2", message: "waits for room" },
        { path: "/alerts/3", message: "waits for room" },
      ],
    });
    const begun = await runsOf(t);
    expect(problemOf(await send(t, FOUR))).toEqual({ status: 503, code: "incomplete" });
    expect(await runsOf(t)).toEqual(begun);
    for (const runId of begun) await end(t, runId);
    const last = await send(t, FOUR);
    expect(last.status).toBe(202);
    expect(alertsIn(last).map(({ outcome }) => outcome)).toEqual(["repeated", "repeated", "started", "started"]);
    expect(await runsOf(t)).toHaveLength(4);
  });

  it("do not hold back repeated or resolved ones", async () => {
    await using t = await setup({ env: { RUNS_PER_PRINCIPAL: "1" } });
    await send(t, alertMessage([sentAlert(2)]));
    const answer = await send(t, alertMessage([sentAlert(1), sentAlert(2), sentAlert(3, RESOLVED)]));
    expect(answer.body).toMatchObject({ code: "incomplete", errors: [{ path: "/alerts/0" }] });
    expect(answer.body["detail"]).toMatch(/^1 of the 3 alerts have their runs, and 1 has none: /);
    expect((await send(t, alertMessage([sentAlert(2), sentAlert(3, RESOLVED)]))).status).toBe(202);
  });

  it("use one of the principal's limit per minute for each run, none for a repeat, and start in the next minute", async () => {
    await using t = await setup({ env: { RUNS_PER_MINUTE: "3" } });
    await send(t, alertMessage([sentAlert(1)]));
    const answer = await send(t, FOUR);
    expect([problemOf(answer), answer.headers.get("retry-after")]).toEqual([{ status: 503, code: "incomplete" }, "60"]);
    expect(answer.body["detail"]).toBe("3 of the 4 alerts have their runs, and 1 has none: This principal may start 3 runs a minute.");
    expect((await send(t, alertMessage([sentAlert(1), sentAlert(2), sentAlert(3)]))).status).toBe(202);
    t.clock.now += 60_000;
    expect(alertsIn(await send(t, FOUR)).map(({ outcome }) => outcome)).toEqual(["repeated", "repeated", "repeated", "started"]);
  });

  it("are those beyond the fiftieth of a message, and start when the message is repeated", async () => {
    await using t = await setup();
    const message = alertMessage(Array.from({ length: 60 }, (_, n) => sentAlert(n)));
    const first = await send(t, message);
    expect(problemOf(first)).toEqual({ status: 503, code: "incomplete" });
    expect(first.body["detail"]).toBe("50 of the 60 alerts have their runs, and 10 have none: One message starts 50 runs at most.");
    expect(first.body["errors"]).toHaveLength(8);
    const outcomes = alertsIn(await send(t, message)).map(({ outcome }) => outcome);
    expect([outcomes.filter((one) => one === "repeated").length, outcomes.filter((one) => one === "started").length]).toEqual([50, 10]);
    expect(await runsOf(t)).toHaveLength(60);
  });

  it("are the rest after the store became unavailable; the same message starts them, and nothing twice", async () => {
    const accepted: string[] = [];
    let fixed = false;
    const wrapStore = (state: StateStore): StateStore => ({
      ...state,
      async commit(shard, change) {
        if (!change.op.startsWith("accept:")) return state.commit(shard, change);
        if (accepted.length === 2 && !fixed) throw new StoreUnavailable("gone");
        accepted.push(change.op);
        return state.commit(shard, change);
      },
    });
    await using t = await setup({ wrapStore });
    expect(problemOf(await send(t, FOUR))).toEqual({ status: 503, code: "store_unavailable" });
    expect(await runsOf(t)).toHaveLength(2);
    fixed = true;
    expect((await send(t, FOUR)).status).toBe(202);
    expect(await runsOf(t)).toHaveLength(4);
  });
});

const send = (t: T, body: JsonObject): Promise<Answer> => t.ask("alma", ROUTE, { method: "POST", body });

function alertsIn({ body }: Answer): readonly { readonly fingerprint: string; readonly outcome: string; readonly runId?: string }[] {
  return body["alerts"] as unknown as ReturnType<typeof alertsIn>;
}

/** Returns every run that the trigger has started. */
async function runsOf(t: T): Promise<readonly string[]> {
  return (await t.store.page(keys.runIndex("alma"), { limit: 100 })).members.map(({ member }) => member);
}

async function end(t: T, runId: string): Promise<void> {
  await t.agent.take(runId);
  await t.agent.say(runId, completed);
}

async function annotationsOf(t: T, runId: string): Promise<JsonObject> {
  const { documents } = await t.store.read([keys.inbox(shardOf(runId), runId)]);
  const entry = parseInboxEntry(documents[0]?.value);
  const alert = entry.ok && entry.value.kind === "message" ? entry.value.input["alert"] : null;
  const annotations = isJsonObject(alert) ? alert["annotations"] : null;
  if (!isJsonObject(annotations)) throw new Error(`The run ${runId} has no annotations.`);
  return annotations;
}
