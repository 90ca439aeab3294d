import { deadLetterMessage } from "@toolbus/bus";
import { attributes, keys, type Message, type RunEvent, topics } from "@toolbus/contracts";
import { expect, it } from "vitest";
import { expectRefusal } from "./cli-under-test.ts";
import { type DeadLettersUnderTest, RELEASE } from "./dead-letters-under-test.ts";
import { call, follow } from "./http-client.ts";

const HOUR_MS = 3_600_000;
const GRANT = "eyJ.a-grant.of-nobody";
const CALL_SECRET = "a-secret-of-a-call";

/** Tests what happens to messages that become dead letters. Each case runs on every bus, and the command line prints the same text on all of them. */
export function deadLetterCases(system: () => DeadLettersUnderTest): void {
  it("are absent at first, and the list says so", async () => {
    const listed = await system().cli("dead-letters", "list");
    expect([listed.code, listed.stdout, listed.stderr]).toEqual([0, "", "There are no dead letters.\n"]);
    expect(await system().list()).toEqual([]);
  });

  it("are kept with the reason for which their queue could not read them, and listed", async () => {
    const at = (ms: number): Partial<Message> => ({ time: new Date(Date.now() + ms).toISOString() });
    const cancel = (body: string, part: Partial<Message> = {}) => system().given("approval.cancel", body, part);
    await cancel("{");
    await cancel('{"toolCallId": 7, "reason": "no"}');
    await cancel("{}", { type: "com.example.order" });
    await cancel("{}", at(-25 * HOUR_MS));
    await cancel("{}", at(25 * HOUR_MS));
    await cancel("{}", { time: "yesterday" });
    const large = await cancel("{}".padEnd(300_000));
    const { stdout } = await system().cli("dead-letters", "list", "--queue", "approval.cancel");
    expect(stdout).toMatch(/^LETTER +QUEUE +STATE +AGE +REASON\n/);
    // The room for the reason depends on the width of the age.
    const lines = plain(stdout).slice(1);
    expect(lines.map((line) => line.slice(0, 57)).toSorted()).toEqual([
      "dl approval.cancel open N s the body breaks its schema: /",
      "dl approval.cancel open N s the body is not JSON",
      "dl approval.cancel open N s the body is over 262144 bytes",
      "dl approval.cancel open N s the message is dated more tha",
      "dl approval.cancel open N s the message is older than 864",
      "dl approval.cancel open N s the time is not RFC 3339",
      "dl approval.cancel open N s the type is not one of toolbu",
    ]);
    expect(await system().letter(large)).toMatchObject({ cut: true, replayBy: "none", whyNot: expect.stringMatching(/too large/) });
  });

  it("are shown with all received content, except secrets and terminal control characters", async () => {
    const letterId = await system().given("run.wake", '{"runId": 7, "note": "é 💥 \u202e"}', {
      source: "/\u001b[31mstranger",
      attributes: {
        [attributes.agent]: "default",
        "x y:": " é%\nstate         replayed",
        [attributes.grant]: GRANT,
        [attributes.callSecret]: CALL_SECRET,
      },
    });
    const { stdout } = await system().cli("dead-letters", "show", letterId);
    expect(plain(stdout)).toEqual([
      "letter dl",
      "queue run.wake",
      "state open",
      "reason the body breaks its schema: /note is not a known field; /runId must be string",
      "delivered 1 time",
      "kept N s ago, for another 29 d",
      "message stray (toolbus.run.wake)",
      "from /\\x1b[31mstranger, TIME",
      "attribute toolbus-agent: default",
      "attribute x y:: é%\\x0astate replayed",
      "",
      '{"runId": 7, "note": "é 💥 \\u202e"}',
      "",
      "To send it to its queue again: toolbus dead-letters replay dl",
    ]);
    const { documents } = await system()
      .state()
      .read([keys.deadLetter(letterId)]);
    expect(documents[0]?.value).toMatchObject({ deliveries: 1, history: [], cut: false, replayed: null });
    expect(JSON.stringify(documents)).not.toMatch(new RegExp(`${GRANT}|${CALL_SECRET}`));
  });

  it("are shown with the previous attempts", async () => {
    const now = Date.now();
    const history = [3, 2].map((ago) => ({ at: now - ago * HOUR_MS, reason: "the handler failed (TypeError)" }));
    const tired = system().message("approval.cancel", "{}");
    const reason = "delivered 3 times; the handler failed (TypeError)";
    const kept = system().next("keep");
    await system()
      .bus()
      .publish(deadLetterMessage(tired, { queue: tired.topic, reason, deliveries: 3, history, now }));
    const { stdout } = await system().cli("dead-letters", "show", await kept);
    expect(plain(stdout).slice(2, 8)).toEqual([
      "state open",
      `reason ${reason}`,
      "delivered 3 times",
      "tried 3 h ago: the handler failed (TypeError)",
      "tried 2 h ago: the handler failed (TypeError)",
      "kept N s ago, for another 29 d",
    ]);
  });

  it("are kept and shown even if they are not valid dead letters", async () => {
    const kept = system().next("keep");
    const broken = system().message(topics.dead("run.wake"), "{", { type: "toolbus.dead_letter" });
    await system().bus().publish(broken);
    const letterId = await kept;
    expect((await system().cli("dead-letters", "show", letterId)).stdout).toMatch(
      /It cannot be replayed: The dead letter breaks its schema/,
    );
    expectRefusal(await system().cli("dead-letters", "replay", letterId), 1, /The dead letter breaks its schema/);
  });

  it("are replayed once, and a replay that dies again refers to the original", async () => {
    const letterId = await system().given("run.wake", '{"runId": "nonsense"}');
    const again = system().next("keep");
    const noted = system().next("replayed");
    const replayed = await system().cli("dead-letters", "replay", letterId);
    expect(replayed).toMatchObject({ code: 0, stderr: "" });
    expect(plain(replayed.stdout)).toEqual(["dl is being replayed, its message goes to its queue again: toolbus dead-letters show dl"]);
    const backId = await again;
    expect(await noted).toBe(letterId);
    const messageId = expect.stringMatching(/^stray:\d+#replay1$/);
    expect(await system().letter(backId)).toMatchObject({ former: letterId, state: "open", messageId });
    expect(await system().letter(letterId)).toMatchObject({ state: "replayed", replay: { by: "operator:local", messageId } });
    const twice = await system().cli("dead-letters", "replay", letterId);
    expect([twice.code, plain(twice.stdout)]).toEqual([0, ["dl was replayed before, by operator:local: it is not replayed again."]]);
    expect(await system().list("?queue=run.wake&state=replayed")).toMatchObject([{ id: letterId }]);
  });

  it("of an invoke make the agent send its call again at once", async () => {
    const kept = system().next("keep");
    system().loseNext("tool.invoke.");
    const runId = await startRead(system());
    const letterId = await kept;
    expect(await system().letter(letterId)).toMatchObject({ queue: "tool.invoke.release", callId: `${runId}.1.0`, replayBy: "call" });
    const answered = follow(system(), runId, isResolved);
    const replayed = await system().cli("dead-letters", "replay", letterId);
    expect(replayed.stdout).toMatch(/the agent looks at its call/);
    expect((await answered).at(-1)).toMatchObject({ type: "call.resolved", callId: `${runId}.1.0`, status: "ok" });
    expect(system().invokes(runId)).toMatchObject([{ id: `${runId}.1.0#1` }, { id: `${runId}.1.0#2` }]);
  });

  it("of a result make the agent join it when it comes to its queue again", async () => {
    const kept = system().next("keep");
    system().loseNext("tool.result.");
    const runId = await startRead(system());
    const letterId = await kept;
    expect(await system().letter(letterId)).toMatchObject({ queue: "tool.result.default", callId: `${runId}.1.0`, replayBy: "publish" });
    const answered = follow(system(), runId, isResolved);
    await system().replay(letterId);
    expect((await answered).at(-1)).toMatchObject({ type: "call.resolved", callId: `${runId}.1.0`, status: "ok" });
    expect(system().invokes(runId)[0]).toMatchObject({ id: `${runId}.1.0#1` });
  });

  it("of a call that already has its result are not replayed, with the reason", async () => {
    const runId = await startRead(system());
    await follow(system(), runId, isResolved);
    const [invoke] = system().invokes(runId);
    if (!invoke) throw new Error("The run sent no invoke.");
    const letterId = await system().given("tool.invoke.release", "{", { ...invoke, id: `${runId}.1.0#2`, body: "{" });
    expectRefusal(await system().cli("dead-letters", "replay", letterId), 1, /already has its result \(ok\): a replay would do nothing/);
  });
}

/** Starts a run with one call, which reads. Its call is the first of its round. */
async function startRead({ gateway, user }: DeadLettersUnderTest): Promise<string> {
  const { body } = await call(`${gateway}/v1/conversations`, user, { profile: "direct" });
  const { conversationId } = body as { readonly conversationId: string };
  const text = `get_release_summary {"release_id": "${RELEASE}"}`;
  const sent = await call(`${gateway}/v1/conversations/${conversationId}/messages`, user, { text });
  return (sent.body as { readonly runId: string }).runId;
}

function isResolved(event: RunEvent): boolean {
  return event.type === "call.resolved";
}

/** Returns the printed lines with fixed ids, times and column widths, because the tests do not check these. */
function plain(printed: string): readonly string[] {
  return printed
    .replaceAll(/\bdl_\w{2}_\w{26}/g, "dl")
    .replaceAll(/\bstray:\d+/g, "stray")
    .replaceAll(/\b\d+ s\b/g, "N s")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME")
    .replaceAll(/\S*toolbus dead-letters/g, "toolbus dead-letters")
    .replaceAll(/\s*\n +/g, " ")
    .replaceAll(/ {2,}/g, " ")
    .trimEnd()
    .split("\n");
}
