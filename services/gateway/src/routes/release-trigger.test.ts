import { type JsonObject, keys, parseRunOrigin, shardOf } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { type Answer, type Asking, setup, textIn } from "../testing/gateway-under-test.ts";
import { problemOf } from "../testing/problem-under-test.ts";

const ROUTE = "/v1/triggers/release";

type T = Awaited<ReturnType<typeof setup>>;

describe("the webhook of a deployment system", () => {
  it("starts the investigation of a release on behalf of the trigger", async () => {
    await using t = await setup();
    const answer = await send(t, { releaseId: "v1.4.0", note: "A tenth of the customers." });
    const runId = textIn(answer.body, "runId");
    expect([answer.status, answer.body]).toEqual([202, { releaseId: "v1.4.0", outcome: "started", runId }]);
    const { documents } = await t.store.read([keys.runOrigin(runId), keys.inbox(shardOf(runId), runId)]);
    expect(parseRunOrigin(documents[0]?.value)).toMatchObject({ ok: true, value: { principal: "rolf", tenant: "acme" } });
    expect(documents[1]?.value).toMatchObject({
      profile: "release-investigation",
      text: "Investigate the release v1.4.0.\nA tenth of the customers.",
      input: { releaseId: "v1.4.0", note: "A tenth of the customers." },
    });
  });

  it("has one run for a release, whatever the next note says", async () => {
    await using t = await setup();
    const first = await send(t, { releaseId: "v1.4.0" });
    const again = await send(t, { releaseId: "v1.4.0", note: "Half of them." });
    expect([again.status, again.body]).toEqual([202, { ...first.body, outcome: "repeated" }]);
    expect([first, again].map(({ headers }) => headers.get("idempotent-replay"))).toEqual([null, "true"]);
    expect((await send(t, { releaseId: "v1.4.1" })).body["outcome"]).toBe("started");
    expect(await runsOf(t)).toHaveLength(2);
  });

  it("has one for each Idempotency-Key instead, if it sends one", async () => {
    await using t = await setup();
    const plain = await send(t, { releaseId: "v1.4.0" });
    const keyed = await send(t, { releaseId: "v1.4.0" }, "rollout-7");
    const repeat = await send(t, { releaseId: "v1.4.0" }, "rollout-7");
    expect([keyed, repeat].map(({ body }) => body["outcome"])).toEqual(["started", "repeated"]);
    expect(repeat.body["runId"]).toBe(keyed.body["runId"]);
    expect(keyed.body["runId"]).not.toBe(plain.body["runId"]);
    expect(problemOf(await send(t, { releaseId: "v1.4.1" }, "rollout-7"))).toEqual({ status: 422, code: "idempotency_key_reused" });
    // A key that equals the name of a release does not identify that release.
    expect((await send(t, { releaseId: "v1.4.0" }, "v1.4.0")).body["outcome"]).toBe("started");
  });

  it("is asked to wait if there is no room", async () => {
    await using t = await setup({ env: { RUNS_PER_PRINCIPAL: "1" } });
    const first = await send(t, { releaseId: "v1.4.0" });
    expect(problemOf(await send(t, { releaseId: "v1.4.1" }))).toEqual({ status: 429, code: "rate_limited" });
    expect((await send(t, { releaseId: "v1.4.0" })).body["runId"]).toBe(first.body["runId"]);
    await using slow = await setup({ env: { RUNS_PER_MINUTE: "1" } });
    await send(slow, { releaseId: "v1.4.0" });
    expect(problemOf(await send(slow, { releaseId: "v1.4.1" }))).toEqual({ status: 429, code: "rate_limited" });
  });

  it.each<{ what: string; body: Asking["body"] & object; errors: readonly object[] }>([
    { what: "no release", body: {}, errors: [{ path: "/releaseId", message: "is required" }] },
    { what: "one that is not a text", body: { releaseId: 7 }, errors: [{ path: "/releaseId", message: "must be string" }] },
    { what: "an alert", body: { releaseId: "v2", alert: { labels: {} } }, errors: [{ path: "/alert", message: "is not a known field" }] },
  ])("is refused $what", async ({ body, errors }) => {
    await using t = await setup();
    const answer = await t.ask("rolf", ROUTE, { method: "POST", body });
    expect(problemOf(answer)).toEqual({ status: 400, code: "invalid_request" });
    expect([answer.body["remedy"], answer.body["errors"]]).toEqual(['Send {"releaseId": "…"}, optionally with "note".', errors]);
    expect(await runsOf(t)).toEqual([]);
  });
});

const send = (t: T, body: JsonObject, key?: string): Promise<Answer> =>
  t.ask("rolf", ROUTE, { method: "POST", body, headers: key === undefined ? {} : { "idempotency-key": key } });

async function runsOf(t: T): Promise<readonly string[]> {
  return (await t.store.page(keys.runIndex("rolf"), { limit: 100 })).members.map(({ member }) => member);
}
