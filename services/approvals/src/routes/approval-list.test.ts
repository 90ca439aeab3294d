import { keys } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { tenantHash } from "../tenant-hash.ts";
import { setup } from "../testing/approvals-under-test.ts";
import { bigRefund, bigWire, call, putOrigin, RUN, smallRefund, START } from "../testing/writes-under-test.ts";

const MINUTE = 60_000;
type Bundle = Awaited<ReturnType<typeof setup>>;

interface Listed {
  readonly id: string;
  readonly status: string;
}

async function list(t: Bundle, query = "", who: "amy" | "zed" = "amy"): Promise<readonly Listed[]> {
  const { status, body } = await t.get(who, `/v1/approvals${query}`);
  expect({ status, body }).toMatchObject({ status: 200 });
  return body["approvals"] as unknown as readonly Listed[];
}

const states = async (t: Bundle, query: string): Promise<readonly string[]> =>
  (await list(t, query)).map(({ id, status }) => `${id.slice(id.indexOf(".") + 1, -2)} ${status}`);

/** Makes one approval of each state, a minute apart. Their rounds are 1 to 6, in this order. */
async function oneOfEach(t: Bundle): Promise<void> {
  const next = (): void => void (t.clock.now += MINUTE);
  await t.decide("amy", await t.hold(bigRefund(1)), "approve");
  next();
  await t.decide("amy", await t.hold(bigRefund(2)), "deny");
  next();
  await t.decide("amy", await t.hold(bigRefund(3)), "revise", { comment: "smaller" });
  next();
  await t.hold(bigRefund(4));
  await t.cancel(call(4));
  for (let n = 1; n <= 4; n++) await t.decided.next();
  next();
  await t.ask(smallRefund(5));
  await t.decided.next();
  next();
  await t.hold(bigRefund(6));
}

describe("GET /v1/approvals with a status", () => {
  it("lists what has ended, newest first, and all, with what waits first", async () => {
    await using t = await setup();
    await oneOfEach(t);
    expect(await states(t, "?status=all")).toEqual([
      "6 pending",
      "5 approved",
      "4 cancelled",
      "3 revision_requested",
      "2 rejected",
      "1 approved",
    ]);
    expect(await states(t, "?status=approved")).toEqual(["5 approved", "1 approved"]);
    expect(await states(t, "?status=rejected")).toEqual(["2 rejected"]);
    expect(await states(t, "?status=expired")).toEqual([]);
    expect(await states(t, "")).toEqual(["6 pending"]);
  });

  it("lists what nobody decided in time", async () => {
    await using t = await setup();
    await t.hold(bigRefund(1));
    t.clock.now += 15 * MINUTE;
    await t.decided.next();
    expect(await states(t, "?status=expired")).toEqual(["1 expired"]);
    expect(await states(t, "")).toEqual([]);
  });

  it("lists an approval as ended as soon as the person has the answer, and never in two states", async () => {
    await using t = await setup();
    const id = await t.hold(bigRefund(1));
    await t.decide("amy", id, "deny");
    expect(await states(t, "?status=all")).toEqual(["1 rejected"]);
    await t.ask(bigRefund(1));
    await t.decided.next();
    expect(await states(t, "?status=all")).toEqual(["1 rejected"]);
  });

  it("turns pages of any size without a gap or a repeat", async () => {
    await using t = await setup();
    await oneOfEach(t);
    for (const limit of [1, 2, 3, 5, 6]) {
      const seen: string[] = [];
      let cursor = "";
      for (let page = 1; page <= 8; page++) {
        const { body } = await t.get("amy", `/v1/approvals?status=all&limit=${limit}${cursor}`);
        seen.push(...(body["approvals"] as unknown as readonly Listed[]).map(({ id }) => id));
        if (typeof body["cursor"] !== "string") break;
        cursor = `&cursor=${encodeURIComponent(body["cursor"])}`;
      }
      expect({ limit, seen }).toEqual({ limit, seen: [6, 5, 4, 3, 2, 1].map((n) => `ap_${call(n)}`) });
    }
  });

  it("is filtered by time, tool, requester and the beginning of the id", async () => {
    await using t = await setup();
    await oneOfEach(t);
    await t.hold(bigWire(7));
    const since = START + 3 * MINUTE;
    expect(await states(t, `?status=all&since=${since}`)).toEqual(["7 pending", "6 pending", "5 approved", "4 cancelled"]);
    expect(await states(t, `?status=all&since=${new Date(since).toISOString()}`)).toHaveLength(4);
    expect(await states(t, `?since=${START + 5 * MINUTE}`)).toEqual(["6 pending", "7 pending"]);
    expect(await states(t, `?since=${START + 5 * MINUTE + 1}`)).toEqual([]);
    expect(await states(t, "?tool=wire_transfer")).toEqual(["7 pending"]);
    expect(await states(t, "?status=all&requester=rita")).toHaveLength(7);
    expect(await states(t, "?status=all&requester=somebody")).toEqual([]);
    expect(await states(t, `?status=all&id=ap_${RUN}.3`)).toEqual(["3 revision_requested"]);
    expect(await states(t, `?status=all&id=ap_${RUN}`)).toHaveLength(7);
  });

  it("shows each tenant only its own, also if the index names those of others", async () => {
    await using t = await setup();
    await oneOfEach(t);
    await putOrigin(t.store, { tenant: "other" });
    const theirs = await t.ask(smallRefund(8));
    await t.decided.next();
    expect((await list(t, "?status=all", "zed")).map(({ id }) => id)).toEqual([theirs]);
    expect(await states(t, "?status=all")).toHaveLength(6);
    await t.store.commit("03", {
      op: "forge",
      guards: [{ key: keys.approval(theirs), version: (await t.store.read([keys.approval(theirs)])).documents[0]?.version ?? 0 }],
      index: [{ index: keys.endedApprovals(tenantHash("acme")), member: theirs, score: t.clock.now }],
    });
    expect(await states(t, "?status=all")).toHaveLength(6);
  });

  it("finds a few among many in steps of limited cost, each with a cursor", async () => {
    let read = 0;
    await using t = await setup({
      env: { PENDING_PER_REQUESTER: "0" },
      wrapStore: (state) => ({
        ...state,
        read(wanted) {
          read += wanted.filter((key) => key.startsWith("tb:approval:")).length;
          return state.read(wanted);
        },
      }),
    });
    for (let n = 1; n <= 1200; n++) await t.ask(smallRefund(n));
    for (let n = 1; n <= 1200; n++) await t.decided.next();
    read = 0;
    const first = await t.get("amy", "/v1/approvals?status=all&tool=wire_transfer");
    expect(first.body).toMatchObject({ approvals: [], cursor: expect.any(String) });
    expect(read).toBeLessThanOrEqual(600);
    let { cursor } = first.body;
    for (let page = 2; typeof cursor === "string"; page++) {
      expect(page).toBeLessThanOrEqual(4);
      ({ cursor } = (await t.get("amy", `/v1/approvals?status=all&tool=wire_transfer&cursor=${encodeURIComponent(cursor)}`)).body);
    }
  });

  it("refuses a status, a time, a prefix and a cursor that do not exist, with one sentence", async () => {
    await using t = await setup();
    for (const query of ["status=done", "since=yesterday", "since=2026-13-45T00:00:00Z", "id=rn_1", "tool="])
      expect(await t.get("amy", `/v1/approvals?${query}`)).toMatchObject({ status: 400, body: { code: "invalid_request" } });
    for (const cursor of ["nonsense", "ended:nonsense", "pending:nonsense"])
      expect(await t.get("amy", `/v1/approvals?status=all&cursor=${cursor}`)).toMatchObject({
        status: 400,
        body: { code: "invalid_cursor" },
      });
  });

  it("shows the run that a person started, also for a write of its sub-run", async () => {
    await using t = await setup();
    await t.hold({ ...bigRefund(1), callId: `${RUN}~2.1.0` });
    await t.hold(bigRefund(2));
    expect(await list(t, `?id=ap_${RUN}`)).toMatchObject([
      { runId: RUN, rootRunId: RUN },
      { runId: `${RUN}~2`, rootRunId: RUN },
    ]);
  });
});

describe("GET /v1/approvals/{id} with the beginning of an id", () => {
  it("shows the one that begins so, with its whole id, whether it waits or has ended", async () => {
    await using t = await setup();
    await oneOfEach(t);
    expect((await t.get("amy", `/v1/approvals/ap_${RUN}.6`)).body).toMatchObject({ id: `ap_${call(6)}`, mayDecide: true });
    expect((await t.get("amy", `/v1/approvals/ap_${RUN}.2`)).body).toMatchObject({ id: `ap_${call(2)}`, status: "rejected" });
  });

  it("names the matches if there are several, and is 404 if there is none or only another tenant's", async () => {
    await using t = await setup();
    await oneOfEach(t);
    const several = await t.get("amy", `/v1/approvals/ap_${RUN}`);
    expect(several).toMatchObject({ status: 400, body: { code: "invalid_request", remedy: "Send more of the id." } });
    expect(several.body["detail"]).toContain(`ap_${call(6)}, ap_${call(5)}`);
    expect((await t.get("amy", `/v1/approvals/ap_${RUN}.7`)).status).toBe(404);
    expect((await t.get("zed", `/v1/approvals/ap_${RUN}.6`)).status).toBe(404);
  });

  it("never takes a whole id for the beginning of another", async () => {
    await using t = await setup();
    await t.hold({ ...bigRefund(1), callId: `${RUN}.1.1` });
    await t.hold({ ...bigRefund(1), callId: `${RUN}.1.10` });
    expect((await t.get("amy", `/v1/approvals/ap_${RUN}.1.1`)).body).toMatchObject({ id: `ap_${RUN}.1.1` });
  });

  it("decides nothing by the beginning of an id", async () => {
    await using t = await setup();
    const id = await t.hold(bigRefund(1));
    const token = await t.token("amy", id);
    expect((await t.post("amy", id.slice(0, -2), { decision: "approve", token })).status).toBe(404);
  });
});
