import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { client } from "../http/client.ts";
import type { Context } from "../toolbus/context.ts";
import { EXIT } from "../toolbus/exit-codes.ts";
import { raiseEra } from "./raise-era.ts";

const HELD = { era: 2, raisedAt: 1, reason: "restored", lost: [{ shard: "00", lostAt: 1, held: true }] };

/** An approvals that raises the era and then cannot read its list. */
const server = createServer((request, response) => {
  const [status, body] = request.url?.startsWith("/v1/era")
    ? [200, HELD]
    : [503, { code: "store_unavailable", detail: "The store is away." }];
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
});
beforeAll(() => once(server.listen(0, "127.0.0.1"), "listening"));
afterAll(() => void server.close());

it("says that the era was raised, if the writes that it holds cannot be listed", async () => {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const context = {
    around: { now: () => 2 },
    approvals: async () => client({ url, service: "approvals", key: null }),
  } as unknown as Context;
  await expect(raiseEra(context, { reason: "restored", hold: true })).rejects.toMatchObject({
    exitCode: EXIT.unreachable,
    message: expect.stringMatching(
      /^The era was raised to 2 .* Do not raise it again: list them with .* era held\. .*The store is away/,
    ) as string,
  });
});
