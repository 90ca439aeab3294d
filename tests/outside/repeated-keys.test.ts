import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ask } from "../redteam/http.ts";
import { textIn } from "../redteam/text-in.ts";
import { faultsOf, startWatchedSystem, type WatchedSystem } from "./watched-system.ts";

describe("a body with a duplicate key, each service in a separate process", () => {
  let watched: WatchedSystem;
  beforeAll(async () => {
    watched = await startWatchedSystem("nats");
  });
  afterAll(() => watched?.[Symbol.asyncDispose]());

  it("is refused by the gateway with its position, and nothing is accepted", async () => {
    const { arena, system } = watched;
    const watch = watched.watch();
    const { body } = await ask(arena.gateway("/v1/conversations"), system.people.rita, { profile: "direct" });
    const messages = arena.gateway(`/v1/conversations/${textIn(body["conversationId"])}/messages`);
    const before = await keysOf("origin", "inbox", "run", "call");
    const text = (tool: string): string => JSON.stringify(`${tool} {"payee":"BAKERY","amount":1}`);
    // JSON parsers differ: some take the first of two equal keys, and some take the last. So a proxy could accept a body that the server reads
    // differently.
    expect(await raw(messages, system.people.rita, `{"text":${text("read_balance")},"text":${text("post_notice")}}`)).toMatchObject(
      refusedAt("/text"),
    );
    expect(await raw(arena.gateway("/v1/investigations"), system.people.rita, '{"alert":{"labels":{"job":"a","job":"b"}}}')).toMatchObject(
      refusedAt("/alert/labels/job"),
    );
    expect(await keysOf("origin", "inbox", "run", "call")).toEqual(before);
    expect(system.target.journal()).toEqual([]);

    // A request with the key only once is executed once.
    const said = await ask(messages, system.people.rita, { text: 'post_notice {"payee":"BAKERY","amount":1}' });
    expect((await arena.ended(textIn(said.body["runId"]))).at(-1)).toMatchObject({ type: "run.completed" });
    expect(system.target.journal()).toHaveLength(1);
    expect(faultsOf(watched, await watch.end())).toEqual([]);
  });

  it("decides nothing at approvals, whichever comes last, and the approval stays open", async () => {
    const { arena, system } = watched;
    const watch = watched.watch();
    const write = await arena.held("high", { payee: "BAKERY", amount: 41 });
    const url = arena.approvals(`/v1/approvals/${encodeURIComponent(write.approvalId)}`);
    const token = textIn((await ask(url, system.people.amy)).body["decisionToken"]);
    const before = await keysOf("approval", "token");
    for (const [first, last] of [
      ["deny", "approve"],
      ["approve", "deny"],
    ] as const) {
      const body = `{"decision":"${first}","token":"${token}","decision":"${last}"}`;
      const answer = await raw(`${url}/decision`, system.people.amy, body);
      expect(answer).toMatchObject(refusedAt("/decision"));
      console.log(`two decisions in one body: ${answer.status} ${JSON.stringify(answer.body)}`);
    }
    expect(await keysOf("approval", "token")).toEqual(before);
    expect(await ask(url, system.people.amy)).toMatchObject({ status: 200, body: { status: "pending", mayDecide: true } });
    expect(system.target.journal().filter(({ callId }) => callId === write.callId)).toEqual([]);

    expect(await arena.decide(write, "approve")).toMatchObject({ status: 200, body: { status: "approved" } });
    await arena.ended(write.runId);
    expect(system.target.journal().filter(({ callId }) => callId === write.callId)).toHaveLength(1);
    expect(faultsOf(watched, await watch.end())).toEqual([]);
  });

  async function raw(url: string, key: string, body: string): Promise<{ readonly status: number; readonly body: unknown }> {
    const response = await fetch(url, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body,
      signal: AbortSignal.timeout(10_000),
    });
    return { status: response.status, body: await response.json() };
  }

  /** Returns every key of these families, with its value. */
  async function keysOf(...families: readonly string[]): Promise<readonly string[]> {
    const { redis } = watched.arena.eye;
    const found = await Promise.all(families.map((family) => redis("EVAL", STORED, "0", `tb:${family}:*`)));
    return found.flat().map(String).toSorted();
  }
});

const STORED =
  "local all = {} for _, key in ipairs(redis.call('KEYS', ARGV[1])) do all[#all + 1] = key .. ' ' .. redis.sha1hex(redis.call('DUMP', key)) end return all";

function refusedAt(path: string) {
  return {
    status: 400,
    body: {
      code: "malformed_body",
      detail: expect.stringMatching(new RegExp(`^The body cannot be read in one way only: "${path}" `)) as string,
      errors: [{ path }],
    },
  };
}
