import { describe, expect, it } from "vitest";
import { setup } from "../testing/approvals-under-test.ts";
import { browserOf } from "../testing/page-under-test.ts";
import { bigRefund, bigWire } from "../testing/writes-under-test.ts";

const DAY = 86_400_000;
const listed = (text: string): string[] =>
  [...text.matchAll(/<li class="item"><a class="value" href="\/approvals\/([^"]+)"/g)].map(([, id = ""]) => id);

async function signedIn(t: Awaited<ReturnType<typeof setup>>, who = "amy") {
  const browser = browserOf(t);
  await browser.signIn(who);
  return browser;
}

describe("the history on the approval page", () => {
  it("lists what has ended in the person's tenant, newest first, with outcome, decision and time, and nothing that waits", async () => {
    await using t = await setup();
    const [denied, revised, waits] = [await t.hold(bigRefund(1)), await t.hold(bigRefund(2)), await t.hold(bigRefund(3))];
    await t.decide("amy", denied, "deny", { comment: "Not this week." });
    t.clock.now += 1000;
    await t.decide("ben", revised, "revise", { comment: "Refund half." });
    const amy = await signedIn(t);
    const { status, text } = await amy.open("/approvals/history");
    expect([status, listed(text)]).toEqual([200, [revised, denied]]);
    expect(text).toContain("<strong>rejected");
    expect(text).toContain("<bdi>deny by amy</bdi>");
    expect(text).toContain(`ended <time datetime="${new Date(t.clock.now).toISOString()}">`);
    expect(text).not.toContain(waits);
    expect(listed((await (await signedIn(t, "zed")).open("/approvals/history")).text)).toEqual([]);
    const card = await amy.open(`/approvals/${denied}`);
    expect(card.text).toContain(`<bdi>deny by amy</bdi>: <span class="value">Not this week. </span>`.replace(". <", ".<"));
    expect(card.text).toMatch(/deny by amy<\/bdi>.*?<time datetime="[^"]+">/);
    expect(card.text).toContain('href="/approvals/history"');
  });

  it("is filtered by outcome, day, tool and requester, keeps what was typed, and ignores empty filters", async () => {
    await using t = await setup();
    const [refund, wire] = [await t.hold(bigRefund(1)), await t.hold(bigWire(2))];
    await t.decide("amy", refund, "deny");
    t.clock.now += DAY;
    const late = await t.hold(bigRefund(3));
    await t.decide("amy", late, "revise", { comment: "Half." });
    const amy = await signedIn(t);
    const tool = (await t.stored(wire)).toolName;
    const day = new Date(t.clock.now).toISOString().slice(0, 10);
    const found = async (query: string) => listed((await amy.open(`/approvals/history?${query}`)).text);
    expect(await found("status=rejected&since=&tool=&requester=")).toEqual([refund]);
    expect(await found(`since=${day}`)).not.toContain(refund);
    expect(await found(`since=${day}`)).toContain(late);
    expect(await found(`tool=${tool}`)).not.toContain(refund);
    expect(await found("tool=issue_refund&requester=rita")).toEqual([late, refund]);
    expect(await found("requester=nobody")).toEqual([]);
    const { text } = await amy.open("/approvals/history?status=rejected&requester=%22%3E%3Cb%3Erita");
    expect(text).toContain('<option value="rejected" selected>');
    expect(text).toContain('value="&#34;&#62;&#60;b&#62;rita"');
  });

  it("leads through its pages with the same filters", async () => {
    await using t = await setup();
    const ids: string[] = [];
    for (let n = 1; n <= 25; n++) {
      const id = await t.hold(bigRefund(n));
      await t.decide("amy", id, n % 5 === 0 ? "revise" : "deny", { comment: "No." });
      if (n % 5 !== 0) ids.push(id);
      t.clock.now += 1;
    }
    for (let n = 26; n <= 30; n++) {
      const id = await t.hold(bigRefund(n));
      await t.decide("amy", id, "deny");
      ids.push(id);
      t.clock.now += 1;
    }
    const amy = await signedIn(t);
    const seen: string[] = [];
    let pages = 0;
    for (let path: string | undefined = "/approvals/history?status=rejected"; path !== undefined; pages++) {
      const { text } = await amy.open(path);
      seen.push(...listed(text));
      path = /href="([^"]+)">Next page/.exec(text)?.[1]?.replaceAll("&#38;", "&");
    }
    expect([pages, seen]).toEqual([2, ids.toReversed()]);
  });

  it.each([
    ["status=pending", "No approval ends like this."],
    ["since=yesterday", "This is no day. Type one such as 2026-11-25."],
    ["since=2026-13-45", "This is no day."],
    [`tool=${"x".repeat(65)}`, "The name of a tool has at most 64 characters."],
    ["cursor=nonsense", "This address does not come from a page of the history."],
  ])("says in one sentence what is wrong with %s", async (query, sentence) => {
    await using t = await setup();
    const { status, text } = await (await signedIn(t)).open(`/approvals/history?${query}`);
    expect([status, text]).toEqual([400, expect.stringContaining(sentence)]);
  });

  it("is for people who are signed in, and sends others to sign in", async () => {
    await using t = await setup();
    const { status, location } = await browserOf(t).open("/approvals/history");
    expect([status, location]).toEqual([303, "/sign-in"]);
  });
});
