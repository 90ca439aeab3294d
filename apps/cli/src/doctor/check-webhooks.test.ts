import { describe, expect, it } from "vitest";
import { client } from "../http/client.ts";
import { sendJson, sendProblem, serverUnderTest } from "../testing/server-under-test.ts";
import { checkWebhooks } from "./check-webhooks.ts";

const NOW = 100_000_000;

describe("doctor, checking webhooks", () => {
  it("warns of the notices that were given up within a day, with the target and the reason of the newest", async () => {
    const deliveries = [
      failed(NOW - 60_000, "it answered 401"),
      failed(NOW - 120_000, "it answered 500"),
      failed(NOW - 90_000_000, "late"),
    ];
    expect(await checked(deliveries)).toEqual([
      {
        name: "webhooks",
        level: "warn",
        message: '2 notices of approvals given up within a day; the newest, approval.held to "ops", 1 min ago: it answered 401.',
        fix: expect.stringMatching(/^Correct the target in WEBHOOKS_FILE; docs\/webhooks\.md says/) as string,
      },
    ]);
  });

  it("says nothing if none was given up, or if the key may not see them", async () => {
    expect(await checked([])).toEqual([]);
    expect(await checked([failed(NOW - 90_000_000, "late")])).toEqual([]);
    expect(await checked(null)).toEqual([]);
  });

  it("says that it could not find out what the service does not answer", async () => {
    expect(await checked("nonsense")).toMatchObject([{ level: "fail", message: "This could not be found out." }]);
  });
});

async function checked(deliveries: readonly object[] | null | "nonsense") {
  await using server = await serverUnderTest((_request, response) =>
    deliveries === null
      ? sendProblem(response, 403, { code: "forbidden", title: "Forbidden", detail: "No." })
      : sendJson(response, deliveries === "nonsense" ? { deliveries: 7 } : { deliveries }),
  );
  return await checkWebhooks(client({ url: server.url, service: "approvals", key: null }), "approvals", NOW);
}

function failed(failedAt: number, reason: string) {
  const id = "wh_05_01JD0000000000000000000001";
  const said = {
    event: "approval.held",
    subject: "ap_1",
    target: "ops",
    channel: "webhook",
    at: failedAt - 1000,
    attempts: 8,
    state: "failed",
  };
  return { id, ...said, failedAt, reason, links: { send: `/v1/webhooks/${id}/send` } };
}
