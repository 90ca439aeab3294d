import { describe, expect, it } from "vitest";
import { until } from "../../testing/approvals-under-test.ts";
import { CHANNEL, pressed, slacked, submitted, textsIn, WORKSPACE } from "../../testing/slacked-under-test.ts";
import { bigRefund, bigWire } from "../../testing/writes-under-test.ts";
import { readSlackWorkspaces, refuseMuteWorkspaces } from "./slack-workspaces.ts";

const said = (body: unknown): string => textsIn(body)[2] ?? "";

describe("people of Slack", () => {
  it("press a button, read the card in a dialog and decide there, as the approvers that they are", async () => {
    await using s = await slacked();
    const id = await s.t.hold(bigRefund(1));
    expect(await s.press(id, "approve")).toEqual({ status: 200, body: {} });
    const [opened] = s.slack.of("views.open");
    expect(opened).toMatchObject({ trigger_id: "13345224609.738474920", view: { callback_id: "toolbus:decide" } });
    expect(textsIn(opened).join("\n")).toContain("order: ORD-8821");
    expect(JSON.stringify(opened)).not.toContain('"block_id":"ticket"');
    expect(await s.t.stored(id)).toMatchObject({ status: "pending", decisions: [] });
    const answer = await s.submit(id, "approve", "U1", { comment: " Fine. " });
    expect([answer.status, said(answer.body)]).toEqual([200, "You approved this."]);
    const made = { approver: "amy", decision: "approve", via: "slack:T1", comment: "Fine." };
    expect(await s.t.stored(id)).toMatchObject({ status: "approved", decisions: [made] });
    const decided = await s.t.decided.next();
    expect(decided.body).toMatchObject({ outcome: "approved" });
  });

  it("name the ticket of a critical write, and read below the field if it is missing", async () => {
    await using s = await slacked();
    const id = await s.t.hold(bigWire(1));
    await s.press(id, "approve");
    expect(JSON.stringify(s.slack.of("views.open")[0])).toContain('"block_id":"ticket"');
    expect(await s.submit(id, "approve", "U1", { comment: "Now." })).toEqual({
      status: 200,
      body: { response_action: "errors", errors: { ticket: "Approving a critical write needs its ticket." } },
    });
    expect(await s.t.stored(id)).toMatchObject({ status: "pending", decisions: [] });
    expect(said((await s.submit(id, "approve", "U1", { ticket: "CHG-1" })).body)).toBe("You approved this. It needs another approver.");
    await s.press(id, "approve", "U2");
    expect(JSON.stringify(s.slack.of("views.open")[1])).not.toContain('"block_id":"ticket"');
    expect(said((await s.submit(id, "approve", "U2")).body)).toBe("You approved this.");
    expect(await s.t.stored(id)).toMatchObject({
      status: "approved",
      decisions: [{ approver: "amy", ticket: "CHG-1" }, { approver: "ben" }],
    });
  });

  it("get the same outcome when they submit the same dialog again, and another decision of them is refused", async () => {
    await using s = await slacked();
    const id = await s.t.hold(bigRefund(1));
    const first = await s.submit(id, "deny", "U1", { comment: "No." });
    expect(said(first.body)).toBe("You denied this.");
    await s.t.restart();
    expect(await s.submit(id, "deny", "U1", { comment: "No." })).toEqual(first);
    expect(said((await s.submit(id, "approve", "U1")).body)).toBe('You have already decided "deny", and a person decides once.');
    expect(said((await s.submit(id, "approve", "U2")).body)).toBe('This ended as "rejected".');
    expect((await s.t.stored(id)).decisions).toHaveLength(1);
  });

  it("decide nothing if the file does not name them, if they asked for the write, or if the write is not their tenant's: one sentence says so", async () => {
    await using s = await slacked();
    const id = await s.t.hold(bigRefund(1));
    const nobody = "You are not one of the approvers whom an operator named for this workspace, so nothing was changed.";
    for (const user of ["U9", "constructor", "W0"]) {
      expect(await s.press(id, "approve", user)).toEqual({ status: 200, body: {} });
      expect(s.slack.of("chat.postEphemeral").at(-1)).toMatchObject({ user, channel: CHANNEL, text: nobody });
      expect(said((await s.submit(id, "approve", user)).body)).toBe(nobody);
    }
    await s.press(id, "approve", "U3");
    const own = "You asked for this yourself: another approver has to decide it.";
    expect(s.slack.of("chat.postEphemeral").at(-1)).toMatchObject({ user: "U3", text: own });
    expect(said((await s.submit(id, "approve", "U3")).body)).toBe(own);
    const other = "ap_rn_03_01HZX3V5J8K2M4N6P8Q0R2S4T7.9.0";
    expect(said((await s.submit(other, "approve")).body)).toBe("There is no such approval.");
    await s.press(other, "approve");
    expect(s.slack.of("chat.postEphemeral").at(-1)).toMatchObject({ text: "There is no such approval." });
    expect(await s.press("not-an-id", "approve")).toMatchObject({ status: 200 });
    expect(s.slack.of("views.open")).toEqual([]);
    expect(await s.t.stored(id)).toMatchObject({ status: "pending", decisions: [] });
    expect((await s.t.security()).map(({ kind }) => kind)).toEqual(["self_approval"]);
  });

  it("read that the time is over, and the message loses its buttons", async () => {
    await using s = await slacked();
    const id = await s.t.hold(bigRefund(1));
    await s.settled("approval.held", id);
    s.t.clock.now += 900_000;
    await s.called("chat.update", 1);
    expect(said((await s.submit(id, "approve")).body)).toBe("The time to decide is over. The write did not run.");
    expect(await s.t.stored(id)).toMatchObject({ status: "expired", decisions: [] });
  });

  it("decide nothing with a request that Slack did not sign freshly over these bytes", async () => {
    await using s = await slacked();
    const id = await s.t.hold(bigRefund(1));
    const payload = submitted(id, "approve", "U1", {});
    const again = new URLSearchParams({ payload: JSON.stringify(payload, null, 1) }).toString();
    for (const wrong of [
      { secret: "0".repeat(32) },
      { ageMs: 301_000 },
      { ageMs: -302_000 },
      { sent: again },
      { headers: { "x-slack-signature": "v0=" } },
      { headers: { "x-slack-request-timestamp": "soon" } },
    ]) {
      const { status, body } = await s.interact(payload, wrong);
      expect([wrong, status, body["code"]]).toEqual([wrong, 401, "unauthenticated"]);
      expect(body["detail"]).toMatch(/^[^.]+\.$/);
    }
    expect(await s.t.stored(id)).toMatchObject({ status: "pending", decisions: [] });
    expect(await s.interact(payload, { ageMs: 299_000 })).toMatchObject({ status: 200 });
  });

  it("decide nothing with a signed request that is not an interaction, or comes from another workspace or as JSON", async () => {
    await using s = await slacked();
    const id = await s.t.hold(bigRefund(1));
    const payload = submitted(id, "approve", "U1", {});
    expect(await s.interact("not JSON")).toMatchObject({ status: 400, body: { code: "invalid_request" } });
    expect(await s.interact({ ...payload, user: {} })).toMatchObject({ status: 400 });
    expect(await s.interact({ ...payload, team: { id: "T2" } })).toMatchObject({ status: 403, body: { code: "forbidden" } });
    expect(await s.interact({ ...payload, team: null })).toMatchObject({ status: 403 });
    expect(await s.interact(payload, { headers: { "content-type": "application/json" } })).toMatchObject({ status: 415 });
    for (const other of [
      { ...payload, type: "view_closed" },
      { ...payload, view: { callback_id: "another" } },
      { ...payload, type: "shortcut" },
    ])
      expect(await s.interact(other)).toEqual({ status: 200, body: {} });
    expect(await s.interact({ ...payload, view: { callback_id: "toolbus:decide", private_metadata: "{}" } })).toMatchObject({
      status: 200,
    });
    expect(await s.interact(pressed(id, "page", "U1"))).toEqual({ status: 200, body: {} });
    expect(await s.t.stored(id)).toMatchObject({ status: "pending", decisions: [] });
  });

  it("are told to press again if Slack opens no dialog, and nothing is lost", async () => {
    await using s = await slacked({ reply: ({ method }) => (method === "views.open" ? { status: 500, body: {} } : {}) });
    const id = await s.t.hold(bigRefund(1));
    await s.press(id, "approve");
    expect(s.slack.of("chat.postEphemeral").at(-1)).toMatchObject({ text: "Slack could not open the dialog. Press the button again." });
    expect(said((await s.submit(id, "approve")).body)).toBe("You approved this.");
  });

  it("get an answer within 3 s although the store is slow, and the decision is made afterwards", async () => {
    const store = Promise.withResolvers<void>();
    await using s = await slacked({
      wrapStore: (state) => ({
        ...state,
        async commit(shard, change) {
          if (change.op.startsWith("decide:")) await store.promise;
          return state.commit(shard, change);
        },
      }),
    });
    const id = await s.t.hold(bigRefund(1));
    await s.settled("approval.held", id);
    const from = performance.now();
    const answer = await s.submit(id, "approve");
    expect(performance.now() - from).toBeLessThan(3000);
    expect(said(answer.body)).toMatch(/^This takes longer than usual\. The message shows the outcome/);
    expect(await s.t.stored(id)).toMatchObject({ status: "pending" });
    store.resolve();
    const [update] = await s.called("chat.update", 1);
    expect(textsIn(update).join("\n")).toContain("approved");
  });

  it("are told late, if the store is slow, that somebody else had decided", async () => {
    const store = Promise.withResolvers<void>();
    let isSlow = false;
    await using s = await slacked({
      wrapStore: (state) => ({
        ...state,
        async read(keys) {
          if (isSlow) await store.promise;
          return state.read(keys);
        },
      }),
    });
    const id = await s.t.hold(bigRefund(1));
    await s.settled("approval.held", id);
    await s.submit(id, "deny");
    isSlow = true;
    expect(said((await s.submit(id, "approve")).body)).toMatch(/^This takes longer than usual/);
    store.resolve();
    const [told] = await s.called("chat.postEphemeral", 1);
    expect(told).toMatchObject({ text: expect.stringMatching(/already|ended|rejected/) });
  });

  it("keep their dialog if the decision could not be stored, and submit it again", async () => {
    let fails = true;
    await using s = await slacked({
      wrapStore: (state) => ({
        ...state,
        async commit(shard, change) {
          if (fails && change.op.startsWith("decide:")) throw new Error("The store is away.");
          return state.commit(shard, change);
        },
      }),
    });
    const id = await s.t.hold(bigRefund(1));
    expect(await s.submit(id, "approve")).toEqual({
      status: 200,
      body: {
        response_action: "errors",
        errors: { comment: "The store did not confirm this. Submit it again. A decision counts only once." },
      },
    });
    fails = false;
    expect(said((await s.submit(id, "approve")).body)).toBe("You approved this.");
  });

  it("decide at most as often in a minute as everybody", async () => {
    await using s = await slacked({ env: { DECISIONS_PER_MINUTE: "1" } });
    const [first, second] = [await s.t.hold(bigRefund(1)), await s.t.hold(bigRefund(2))];
    expect(said((await s.submit(first, "deny")).body)).toBe("You denied this.");
    expect(JSON.stringify((await s.submit(second, "deny")).body)).toMatch(/You may decide 1 time a minute\. Submit again in \d+ s\./);
    expect(await s.t.stored(second)).toMatchObject({ status: "pending" });
  });

  it("and an approver of the API who decide at once get one outcome", async () => {
    await using s = await slacked();
    const id = await s.t.hold(bigRefund(1));
    const token = await s.t.token("ben", id);
    const [slack, api] = await Promise.all([s.submit(id, "approve"), s.t.post("ben", id, { decision: "deny", token })]);
    const { status, decisions } = await s.t.stored(id);
    expect(decisions).toHaveLength(1);
    expect([said(slack.body), api.status]).toEqual(
      status === "approved" ? ["You approved this.", 409] : ['This ended as "rejected".', 200],
    );
    await until(async () => s.slack.of("chat.update").length > 0);
  });
});

describe("the workspaces of the file of decision hooks", () => {
  it("need a target that posts there, because nothing else could open a dialog", () => {
    const [entry] = [{ ...WORKSPACE, tiers: ["high" as const] }];
    expect(() => refuseMuteWorkspaces(entry ? [entry] : [], { targets: [] }, "hooks.json")).toThrow(
      'The people of the Slack workspace T1 in hooks.json may decide, but no target of WEBHOOKS_FILE posts there; add one of kind "slack".',
    );
    expect(() => refuseMuteWorkspaces([], { targets: [] }, "hooks.json")).not.toThrow();
  });

  it("may be left out", async () => {
    expect(await readSlackWorkspaces("")).toEqual([]);
  });
});
