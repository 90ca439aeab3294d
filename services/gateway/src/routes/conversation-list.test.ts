import { type JsonObject, keys, parseConversationOrigin, shardOf } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { conversationsOf } from "../conversation-page.ts";
import { setup, textIn } from "../testing/gateway-under-test.ts";
import { problemOf } from "../testing/problem-under-test.ts";

const DAY = 86_400_000;

describe("GET /v1/conversations", () => {
  it("lists the caller's own, newest first, page by page, whatever messages followed", async () => {
    await using t = await setup();
    const begun: string[] = [];
    for (let n = 0; n < 5; n++) {
      begun.unshift(await t.conversation("una"));
      await t.conversation("ugo");
      t.clock.now += 1000;
    }
    await t.said("una", begun[4] ?? "");
    const seen: string[] = [];
    let query = "?limit=2";
    for (;;) {
      const { status, body } = await t.ask("una", `/v1/conversations${query}`);
      expect(status).toBe(200);
      seen.push(...ids(body));
      if (body["cursor"] === undefined) break;
      query = `?limit=2&cursor=${encodeURIComponent(textIn(body, "cursor"))}`;
    }
    expect(seen).toEqual(begun);
  });

  it("shows each as GET /v1/conversations/{id} does, and those of investigations too", async () => {
    await using t = await setup();
    const chat = await t.conversation("una");
    await t.agent.keep(chat, { activeRun: "rn_a", runs: 3 });
    t.clock.now += 1000;
    const investigated = textIn((await t.ask("una", `/v1/runs/${await t.accepted("una")}`)).body, "conversationId");
    const { body } = await t.ask("una", "/v1/conversations");
    expect(ids(body)).toEqual([investigated, chat]);
    const alone = await Promise.all(ids(body).map(async (id) => (await t.ask("una", `/v1/conversations/${id}`)).body));
    expect(body["conversations"]).toEqual(alone);
  });

  it("lists only the caller's own, also for an operator, and separates tenants", async () => {
    await using t = await setup();
    await t.conversation("una");
    for (const who of ["ugo", "otto", "uma", "olga"] as const)
      expect((await t.ask(who, "/v1/conversations")).body).toEqual({ conversations: [] });
  });

  it("shows no conversation of another principal, not even of the same name in another tenant, whatever the index contains", async () => {
    await using t = await setup();
    for (const [who, called] of [
      ["ugo", "ugo"],
      ["uma", "una"],
    ] as const) {
      const member = await t.conversation(who);
      const key = keys.conversationOrigin(member);
      const [document] = (await t.store.read([key])).documents;
      const origin = parseConversationOrigin(document?.value);
      if (!document || !origin.ok) throw new Error(`${member} was never begun.`);
      const change = {
        op: `index ${who}`,
        guards: [{ key, version: document.version }],
        put: [{ key, value: { ...origin.value, owner: called } }],
        index: [{ index: conversationsOf({ tenant: "acme", id: "una" }), member, score: t.clock.now }],
      };
      expect((await t.store.commit(shardOf(member), change)).outcome).toBe("ok");
    }
    expect((await t.ask("una", "/v1/conversations")).body).toEqual({ conversations: [] });
  });

  it("has a separate index for each principal of each tenant", () => {
    const [una, ugo, other] = [
      { tenant: "acme", id: "una" },
      { tenant: "acme", id: "ugo" },
      { tenant: "other", id: "una" },
    ].map(conversationsOf);
    expect(new Set([una, ugo, other]).size).toBe(3);
  });

  it("skips expired ones, and fills a page from the following ones", async () => {
    await using t = await setup();
    const older = await t.conversation("una");
    t.clock.now += DAY;
    await t.conversation("una");
    t.clock.now += 19 * DAY;
    await t.said("una", older);
    t.clock.now += 20 * DAY;
    expect(ids((await t.ask("una", "/v1/conversations?limit=1")).body)).toEqual([older]);
  });

  it.each([
    ["?limit=0", "invalid_request"],
    ["?limit=101", "invalid_request"],
    ["?status=done", "invalid_request"],
    ["?cursor=nonsense", "invalid_cursor"],
  ])("refuses the query %s", async (query, code) => {
    await using t = await setup();
    expect(problemOf(await t.ask("una", `/v1/conversations${query}`))).toEqual({ status: 400, code });
  });
});

function ids(body: JsonObject): string[] {
  return (body["conversations"] as readonly { readonly conversationId: string }[]).map(({ conversationId }) => conversationId);
}
