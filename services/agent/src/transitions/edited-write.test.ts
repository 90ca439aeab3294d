import { type ApprovalDecided, approvalIdOf, topics } from "@toolbus/contracts";
import { argumentsHash } from "@toolbus/grants";
import { describe, expect, it } from "vitest";
import { readEntry } from "../memory/stored-entries.ts";
import { grantFor } from "../testing/grant-for.ts";
import { asks, type Bundle, bundle, change, ok, RUN } from "../testing/test-bundle.ts";
import { callDecided } from "./decided.ts";
import { grantedArguments } from "./edited-write.ts";
import { redispatch } from "./redispatch.ts";

const CALL = `${RUN}.1.0`;
const ASKED = '{"n":100}';
const EDITED = '{"n":20}';

/** Returns a run whose only write has asked for a grant. */
async function waiting(): Promise<Bundle> {
  const b = bundle();
  await b.start();
  await b.turn([asks("change", "w1", { n: 100 })]);
  await b.sent();
  return b;
}

async function decide(b: Bundle, part: Partial<ApprovalDecided> = {}, grant = grantFor(EDITED)): Promise<string> {
  const { now } = await b.snapshot();
  const decided: ApprovalDecided = {
    toolCallId: CALL,
    approvalId: approvalIdOf(CALL),
    outcome: "approved",
    decidedBy: ["amy"],
    grantExpiresAt: now + 900_000,
    executeBy: now + 86_400_000,
    arguments: EDITED,
    effect: "Changes it by 20.",
    ...part,
  };
  return b.commit(callDecided(await b.snapshot(), decided, grant, b.rules, { definition: change }));
}

describe("a write whose arguments the approver changed", () => {
  it("keeps the change without any part of a credential, also where a long value is cut", async () => {
    const b = await waiting();
    const call = await b.call(0);
    const asked = JSON.stringify({ note: `${"word ".repeat(38)}sk-proj-abcdefghijklmnop1234` });
    const edited = '{"note":"none"}';
    const granted = grantedArguments({ ...call, arguments: asked }, { arguments: edited }, grantFor(edited), null);
    expect(JSON.stringify(granted)).toContain("word word");
    expect(granted).toMatchObject({ asked: { changes: [{ name: "note", before: expect.not.stringContaining("sk-p"), after: '"none"' }] } });
  });

  it("is sent with exactly those, and its row has their hash and effect", async () => {
    const b = await waiting();
    expect(await decide(b)).toBe("ok");
    const [invoke] = (await b.sent()).filter(({ topic }) => topic === topics.invoke("test"));
    expect(JSON.parse(invoke?.body ?? "{}")).toMatchObject({ toolName: "change", arguments: EDITED });
    expect(await b.call(0)).toMatchObject({
      arguments: EDITED,
      argsHash: argumentsHash(EDITED),
      effect: "Changes it by 20.",
      asked: { arguments: ASKED, changes: [{ name: "n", before: "100", after: "20" }] },
    });
  });

  it("is reported to viewers, in the run's record and to the model, with the old and the new values", async () => {
    const b = await waiting();
    await decide(b);
    await b.answer(0, ok('{"fine":true}'));
    expect((await b.events()).find(({ type }) => type === "call.decided")).toMatchObject({
      effect: "Changes it by 20.",
      changes: [{ name: "n", before: "100", after: "20" }],
    });
    expect((await b.snapshot()).run.value.writes?.latest).toMatchObject([{ effect: "Changes it by 20.", edited: true }]);
    const stored = (await b.transcript()).find(({ type }) => type === "result");
    if (!stored) throw new Error("The result is not in the transcript.");
    expect(await readEntry(b.state, stored)).toMatchObject({
      content:
        '[The approver changed the arguments of this call before it ran: "n" was 100 and is 20. This is the result with the changed arguments.]\n{"fine":true}',
    });
  });

  it("asks for a fresh grant with what the model asked for, and keeps the changed arguments", async () => {
    const b = await waiting();
    await decide(b);
    await b.sent();
    const { grantExpiresAt = 0 } = await b.call(0);
    b.advance(grantExpiresAt - (await b.snapshot()).now - 30_000);
    await b.commit(redispatch(await b.snapshot(), CALL, null, b.rules));
    const [request] = (await b.sent()).filter(({ topic }) => topic === topics.approvalRequest);
    expect(JSON.parse(request?.body ?? "{}")).toMatchObject({ arguments: ASKED });
    expect(await decide(b)).toBe("ok");
    const [invoke] = (await b.sent()).filter(({ topic }) => topic === topics.invoke("test"));
    expect(JSON.parse(invoke?.body ?? "{}")).toMatchObject({ arguments: EDITED });
    expect((await b.call(0)).asked?.arguments).toBe(ASKED);
    expect((await b.events()).filter(({ type }) => type === "call.decided")).toHaveLength(1);
  });

  it("is sent again with the changed arguments", async () => {
    const b = await waiting();
    await decide(b);
    await b.sent();
    b.advance(60_000);
    await b.commit(redispatch(await b.snapshot(), CALL, null, b.rules));
    const [invoke] = (await b.sent()).filter(({ topic }) => topic === topics.invoke("test"));
    expect(JSON.parse(invoke?.body ?? "{}")).toMatchObject({ arguments: EDITED });
  });
});

describe("an answer whose arguments its grant does not cover", () => {
  it.each([
    ["other arguments than the grant's", { arguments: '{"n":999}' }, grantFor(EDITED)],
    ["other arguments and a grant that has no claims", {}, "a.grant.text"],
    ["other arguments and the grant of another call", {}, grantFor(EDITED, { callId: `${RUN}.1.1` })],
    ["arguments that break the tool's schema", { arguments: '{"n":"much"}' }, grantFor('{"n":"much"}')],
    ["arguments that are not canonical", { arguments: '{ "n": 20 }' }, grantFor('{ "n": 20 }')],
  ])("is dropped, and nothing is sent: %s", async (_, part, grant) => {
    const b = await waiting();
    expect(await decide(b, part, grant)).toBe("none");
    expect([await b.sent(), (await b.call(0)).state]).toEqual([[], "requested"]);
    expect(await decide(b)).toBe("ok");
  });

  it("is dropped if it leaves the changed arguments out", async () => {
    const b = await waiting();
    const { now } = await b.snapshot();
    const decided: ApprovalDecided = {
      toolCallId: CALL,
      approvalId: approvalIdOf(CALL),
      outcome: "approved",
      grantExpiresAt: now + 900_000,
    };
    expect(await b.commit(callDecided(await b.snapshot(), decided, grantFor(EDITED), b.rules))).toBe("none");
  });

  it("is dropped if a worker may already have seen the write with others", async () => {
    const b = await waiting();
    await decide(b);
    await b.sent();
    const { grantExpiresAt = 0 } = await b.call(0);
    b.advance(grantExpiresAt - (await b.snapshot()).now - 30_000);
    await b.commit(redispatch(await b.snapshot(), CALL, null, b.rules));
    expect((await b.call(0)).state).toBe("requested");
    expect(await decide(b, { arguments: '{"n":30}' }, grantFor('{"n":30}'))).toBe("none");
    expect((await b.call(0)).arguments).toBe(EDITED);
  });
});
