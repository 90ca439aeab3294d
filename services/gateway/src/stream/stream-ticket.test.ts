import { writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { completed, started } from "../testing/agent-under-test.ts";
import { setup as setupGateway, START } from "../testing/gateway-under-test.ts";

describe("a ticket for the stream of a run", () => {
  it("is a cookie for this stream only, invisible to scripts and to other sites", async () => {
    await using t = await setup();
    const { status, headers, body } = await t.ask("una", `/v1/runs/${t.runId}/stream-ticket`, { method: "POST" });
    expect([status, body]).toEqual([201, { runId: t.runId, expiresAt: START + 3_600_000 }]);
    const attributes = `Path=/v1/runs/${t.runId}/events; Max-Age=3600; HttpOnly; SameSite=Strict; Secure`;
    expect(headers.get("set-cookie")).toMatch(new RegExp(`^toolbus-stream=[\\w-]{43}; ${attributes}$`));
    expect(headers.get("cache-control")).toBe("no-store");
  });

  it("demands TLS, except from a page that came without it", async () => {
    await using t = await setup();
    const cookieFor = async (origin: string): Promise<string | null> =>
      (await t.ask("una", `/v1/runs/${t.runId}/stream-ticket`, { method: "POST", headers: { origin } })).headers.get("set-cookie");
    expect(await cookieFor("http://127.0.0.1:8080")).not.toContain("Secure");
    expect(await cookieFor("https://toolbus.example")).toContain("; Secure");
  });

  it("opens the stream without an API key, as often as the browser comes back, after a restart too", async () => {
    await using t = await setup();
    const cookie = await t.ticket();
    expect(await t.eventsWith({ cookie })).toMatchObject({ status: 200, text: expect.stringContaining("event: run.completed") });
    expect((await t.eventsWith({ cookie: `theme=dark; ${cookie}; lang=en`, "sec-fetch-site": "same-origin" })).status).toBe(200);
    await t.service.stop();
    const again = await t.start();
    expect((await fetch(`${again.url}/v1/runs/${t.runId}/events`, { headers: { cookie } })).status).toBe(200);
    await again.stop();
  });

  it("replaces the one for the same Idempotency-Key, and no other", async () => {
    await using t = await setup();
    const without = await t.ticket();
    const [first, second] = [await t.ticket("k"), await t.ticket("k")];
    expect(second).not.toBe(first);
    expect((await t.eventsWith({ cookie: first })).status).toBe(401);
    for (const cookie of [second, without, await t.ticket("other")]) expect((await t.eventsWith({ cookie })).status).toBe(200);
  });

  it("opens no other run, and nothing else of this one", async () => {
    await using t = await setup();
    const cookie = await t.ticket();
    const other = await t.accepted();
    for (const url of [`/v1/runs/${other}/events`, `/v1/runs/${t.runId}`, "/v1/tools", "/v1/runs/nonsense/events"])
      expect((await t.ask(null, url, { headers: { cookie } })).status).toBe(401);
    expect((await t.ask(null, `/v1/runs/${t.runId}/cancel`, { method: "POST", headers: { cookie } })).status).toBe(401);
    expect((await t.ask(null, `/v1/runs/${t.runId}/stream-ticket`, { method: "POST", headers: { cookie } })).status).toBe(401);
  });

  it("is valid for its time", async () => {
    await using t = await setup();
    const cookie = await t.ticket();
    t.clock.now = START + 3_599_999;
    expect((await t.eventsWith({ cookie })).status).toBe(200);
    t.clock.now = START + 3_600_000;
    expect(await t.eventsWith({ cookie })).toMatchObject({ status: 401, body: { code: "unauthenticated" } });
  });

  it("ends with the key that it was issued for", async () => {
    await using t = await setup();
    const cookie = await t.ticket();
    const file = path.join(t.folder, "fewer-keys.json");
    await writeFile(file, "[]");
    const without = await t.start({ GATEWAY_API_KEYS_FILE: file });
    expect((await fetch(`${without.url}/v1/runs/${t.runId}/events`, { headers: { cookie } })).status).toBe(401);
    await without.stop();
  });

  it.each([
    ["of a page of another origin", { "sec-fetch-site": "same-site" }],
    ["of another site", { "sec-fetch-site": "cross-site" }],
    ["together with an unknown key", { authorization: "Bearer tb_user_wrong" }],
  ])("does not count in a request %s", async (_what, headers) => {
    await using t = await setup();
    expect((await t.eventsWith({ cookie: await t.ticket(), ...headers })).status).toBe(401);
  });

  it.each(["toolbus-stream=", "toolbus-stream=short", `toolbus-stream=${"a".repeat(43)}`, `toolbus-stream=${"a".repeat(42)}*`, "=;;="])(
    "is not guessed: %s",
    async (cookie) => {
      await using t = await setup();
      expect((await t.eventsWith({ cookie })).status).toBe(401);
    },
  );

  it.each([
    ["ugo", 404],
    ["olga", 404],
    ["amy", 403],
    [null, 401],
  ] as const)("is refused to %s with %i", async (who, status) => {
    await using t = await setup();
    const answer = await t.ask(who, `/v1/runs/${t.runId}/stream-ticket`, { method: "POST" });
    expect([answer.status, answer.headers.get("set-cookie")]).toEqual([status, null]);
  });
});

/** Starts a gateway with one run that has ended. */
async function setup() {
  const t = await setupGateway();
  const runId = await t.accepted();
  await t.agent.take(runId);
  await t.agent.say(runId, started, completed);
  return {
    ...t,
    runId,
    /** Returns a ticket as una's browser sends it back. */
    async ticket(key?: string): Promise<string> {
      const asked = { method: "POST", ...(key === undefined ? {} : { headers: { "idempotency-key": key } }) };
      const { headers } = await t.ask("una", `/v1/runs/${runId}/stream-ticket`, asked);
      return headers.get("set-cookie")?.split(";")[0] ?? "";
    },
    eventsWith: (headers: Readonly<Record<string, string>>) => t.ask(null, `/v1/runs/${runId}/events`, { headers }),
  };
}
