import { describe, expect, it } from "vitest";
import { asks, plan, plansUnderTest } from "../testing/plans-under-test.ts";
import { browserOf } from "../testing/page-under-test.ts";

async function setup() {
  const t = await plansUnderTest();
  const amy = browserOf(t);
  await amy.signIn("amy");
  const approve = async (id: string) => {
    const path = `/approvals/${id}/decision`;
    await amy.open(`/approvals/${id}`);
    return amy.post(path, amy.form(path, { decision: "approve" }));
  };
  return Object.assign(t, { amy, approve, [Symbol.asyncDispose]: t[Symbol.asyncDispose] });
}

describe("a plan on the approval page", () => {
  it("is awaited without a button to approve, and is then shown and approved", async () => {
    await using t = await setup();
    const id = await t.hold(asks(100));
    const before = (await t.amy.open(`/approvals/${id}`)).text;
    expect(before).toContain("The worker has not yet said what this will change.");
    expect(before).not.toContain(">Approve</button>");
    await t.plans(id, asks(100), plan(300, 200));
    const { text } = await t.amy.open(`/approvals/${id}`);
    expect(text).toMatch(/What changes, by the worker&#39;s plan[^]*balance[^]*300 → 200/);
    expect((await t.approve(id)).status).toBe(303);
    expect((await t.amy.open(`/approvals/${id}`)).text).toContain("You approved this.");
  });

  it("that changed after the approval is shown beside the approved one, and the page says that the approval does not count", async () => {
    await using t = await setup();
    const id = await t.hold(asks(100));
    await t.plans(id, asks(100), plan(300, 200));
    await t.approve(id);
    await t.say(asks(100), { plan: plan(50, -50), drifted: 1 });
    await t.reopened(id);
    const { text } = await t.amy.open(`/approvals/${id}`);
    expect(text).toContain("The target changed after this was approved");
    expect(text).toMatch(/balance&#34; was 300 and is 200/);
    expect(text).toMatch(/50 → -50/);
    expect(text).not.toContain("Approve with other arguments");
    expect(text).toContain("before the present plan, so it does not count");
    expect((await t.approve(id)).status).toBe(303);
    expect(await t.stored(id)).toMatchObject({ status: "approved", decisions: [{ plan: { round: 1 } }, { plan: { round: 2 } }] });
  });
});
