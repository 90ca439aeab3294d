import { describe, expect, it } from "vitest";
import { setup } from "../testing/gateway-under-test.ts";
import { problemOf } from "../testing/problem-under-test.ts";

describe("the pictures, sounds and files of a call", () => {
  /** Sets up a call of una's with a page that a tool returned, and another blob of the store. */
  const withMedia = async () => {
    const t = await setup();
    const runId = await t.accepted("una");
    await t.agent.take(runId);
    const page = Buffer.from("<script>alert(1)</script>");
    const blob = await t.store.putBlob(page);
    const foreign = await t.store.putBlob(Buffer.alloc(page.length, "a text of another run"));
    const callId = `${runId}.1.0`;
    const media = [{ blob, mediaType: "text/html", bytes: page.length }];
    const call = (part: object): Promise<void> =>
      t.agent.call(callId, { state: "resolved", result: { status: "ok", content: "a page", isError: false, media, ...part } });
    await call({});
    const ask = (who: "una" | "ugo" | "otto" | "olga", name = blob) => t.ask(who, `/v1/calls/${callId}/media?blob=${name}`);
    return { t, ask, call, media, foreign, [Symbol.asyncDispose]: () => t[Symbol.asyncDispose]() };
  };

  it("are given to the requester and to operators of the tenant, as an attachment that no browser runs", async () => {
    await using m = await withMedia();
    for (const who of ["una", "otto"] as const) {
      const answer = await m.ask(who);
      expect([answer.status, answer.text]).toEqual([200, "<script>alert(1)</script>"]);
      expect(answer.headers.get("content-type")).toBe("text/html");
      expect(answer.headers.get("content-disposition")).toMatch(/^attachment; /);
      expect(answer.headers.get("content-security-policy")).toContain("sandbox");
      expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    }
    for (const who of ["ugo", "olga"] as const) expect((await m.ask(who)).status).toBe(404);
  });

  it("are only those that the result names, even if the store has others", async () => {
    await using m = await withMedia();
    expect(problemOf(await m.ask("una", m.foreign))).toMatchObject({ status: 404 });
  });

  it("are not found if the store has lost them or has other bytes", async () => {
    await using m = await withMedia();
    await m.call({ media: m.media.map((one) => ({ ...one, bytes: 3 })) });
    expect((await m.ask("una")).text).toContain("The store has lost these bytes.");
  });
});
