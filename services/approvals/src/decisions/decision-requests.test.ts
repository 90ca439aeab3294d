import { describe, expect, it } from "vitest";
import { type Requested, setup as setupApprovals } from "../testing/approvals-under-test.ts";
import { bigRefund } from "../testing/writes-under-test.ts";

describe("a decision with an Idempotency-Key", () => {
  it("gets the first answer when it is repeated, and the answer says so", async () => {
    await using t = await setup();
    const id = await t.hold(bigRefund(1));
    const body = { decision: "approve", token: await t.token("amy", id) };
    const first = await t.decided("amy", id, body, "k");
    const repeat = await t.decided("amy", id, body, "k");
    expect([first.status, first.replayed, repeat.status, repeat.replayed]).toEqual([200, null, 200, "true"]);
    expect(repeat.body).toEqual(first.body);
    expect((await t.stored(id)).decisions).toHaveLength(1);
  });

  it.each([
    { what: "another decision", part: { decision: "deny" } },
    { what: "another comment", part: { comment: "No." } },
    { what: "another ticket", part: { ticket: "T-2" } },
  ])("is refused when its key is reused with $what, and the first decision stands", async ({ part }) => {
    await using t = await setup();
    const id = await t.hold(bigRefund(1));
    const body = { decision: "approve", token: await t.token("amy", id) };
    await t.decided("amy", id, body, "k");
    expect(await t.decided("amy", id, { ...body, ...part }, "k")).toMatchObject({ status: 422, body: { code: "idempotency_key_reused" } });
    expect((await t.stored(id)).status).toBe("approved");
  });

  it("belongs to one approver and one approval", async () => {
    await using t = await setup();
    const [one, two] = [await t.hold(bigRefund(1)), await t.hold(bigRefund(2))];
    for (const [who, id] of [
      ["amy", one],
      ["amy", two],
    ] as const)
      expect((await t.decided(who, id, { decision: "deny", token: await t.token(who, id) }, "k")).replayed).toBeNull();
  });

  it("is refused when the key is invalid", async () => {
    await using t = await setup();
    const id = await t.hold(bigRefund(1));
    const body = { decision: "approve", token: await t.token("amy", id) };
    expect(await t.decided("amy", id, body, "two words")).toMatchObject({ status: 400, body: { code: "invalid_request" } });
    expect((await t.stored(id)).status).toBe("pending");
  });
});

describe("decisions", () => {
  it("are limited for each approver and minute", async () => {
    await using t = await setup({ DECISIONS_PER_MINUTE: "2" });
    const ids = [];
    for (const n of [1, 2, 3]) ids.push(await t.hold(bigRefund(n)));
    const [one = "", two = "", three = ""] = ids;
    for (const id of [one, two]) expect((await t.decide("amy", id, "deny")).status).toBe(200);
    const token = await t.token("amy", three);
    expect(await t.decided("amy", three, { decision: "deny", token })).toMatchObject({
      status: 429,
      body: { code: "rate_limited", detail: "This principal may decide 2 times a minute." },
    });
    expect((await t.decide("ben", three, "deny")).status).toBe(200);
  });

  it.each<{ what: string; init: Requested; status: number; code: string }>([
    { what: "no body", init: {}, status: 400, code: "malformed_body" },
    { what: "half a body", init: { body: "{" }, status: 400, code: "malformed_body" },
    { what: "a list", init: { body: "[]" }, status: 400, code: "invalid_request" },
    {
      what: "an unknown field",
      init: { body: '{"decision":"deny","token":"0123456789abcdef","why":"x"}' },
      status: 400,
      code: "invalid_request",
    },
    { what: "another decision", init: { body: '{"decision":"maybe","token":"0123456789abcdef"}' }, status: 400, code: "invalid_request" },
    { what: "a short token", init: { body: '{"decision":"deny","token":"x"}' }, status: 400, code: "invalid_request" },
    {
      what: "a form",
      init: { body: "decision=deny", headers: { "content-type": "application/x-www-form-urlencoded" } },
      status: 415,
      code: "unsupported_media_type",
    },
    { what: "more than 256 KiB", init: { body: JSON.stringify({ comment: "x".repeat(300_000) }) }, status: 413, code: "body_too_large" },
  ])("refuse $what, and decide nothing", async ({ init, status, code }) => {
    await using t = await setup();
    const id = await t.hold(bigRefund(1));
    const headers = { "content-type": "application/json", ...init.headers };
    const answer = await t.request("amy", `/v1/approvals/${id}/decision`, { ...init, method: "POST", headers });
    const body: unknown = await answer.json();
    expect(body).toMatchObject({ status, code, remedy: expect.stringMatching(/\.$/) });
    expect((await t.stored(id)).status).toBe("pending");
  });
});

describe("readiness of approvals", () => {
  it("is off while the bus carries no messages, and the process stays alive", async () => {
    await using t = await setup();
    await t.bus.close();
    const answer = await t.request(null, "/readyz");
    expect([answer.status, await answer.json()]).toEqual([503, { status: "unready", reasons: ["the bus is closed"] }]);
    expect((await t.request(null, "/healthz")).status).toBe(200);
  });

  it("is off when the store does not answer, and says only that", async () => {
    await using t = await setup();
    await t.store.close();
    const answer = await t.request(null, "/readyz");
    expect([answer.status, await answer.json()]).toEqual([503, { status: "unready", reasons: ["the state store does not answer"] }]);
    expect((await t.request(null, "/healthz")).status).toBe(200);
  });
});

async function setup(env: Readonly<Record<string, string>> = {}) {
  const t = await setupApprovals({ env });
  return {
    ...t,
    async decided(who: "amy" | "ben", id: string, body: object, key?: string) {
      const headers = { "content-type": "application/json", ...(key === undefined ? {} : { "idempotency-key": key }) };
      const answer = await t.request(who, `/v1/approvals/${id}/decision`, { method: "POST", headers, body: JSON.stringify(body) });
      const parsed: unknown = await answer.json();
      return { status: answer.status, replayed: answer.headers.get("idempotent-replay"), body: parsed };
    },
  };
}
