import { Writable } from "node:stream";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, it } from "vitest";
import { createLog, LOG_LEVELS, type LogLevel, silentLog } from "./logger.ts";
import type { LogFormat } from "./readable-line.ts";

const SECRETS = {
  "an Authorization value": "Bearer abcdefgh12345678",
  "one in lower case": "bearer abcdefgh12345678",
  "a signed grant": `eyJ${"a".repeat(20)}.${"b".repeat(20)}.${"c-_".repeat(10)}`,
  "a key of ours": "tb_user_abcdefghijklmnop",
  "an approver's key": "tb_approver_ABCDEFGHIJKLMNOP_-x",
  "a provider's key": "sk-proj-abcdefghijklmnop1234",
};

const FIELDS = ["authorization", "token", "secret", "grant", "password", "apiKey", "cookie", "arguments", "content", "prepared"];

describe("a log", () => {
  it("writes a line of JSON with its name, level, message and fields", () => {
    const { log, lines } = setup("info");
    log.info({ runId: "rn_1", count: 3 }, "a run began");
    expect(lines()).toEqual([
      expect.objectContaining({ level: 30, name: "test", runId: "rn_1", count: 3, msg: "a run began", time: expect.any(Number) }),
    ]);
  });

  it.each([
    { level: "silent", written: [] },
    { level: "error", written: ["error"] },
    { level: "warn", written: ["warn", "error"] },
    { level: "info", written: ["info", "warn", "error"] },
    { level: "debug", written: ["debug", "info", "warn", "error"] },
  ] as const)("at $level writes $written", ({ level, written }) => {
    const { log, lines } = setup(level);
    for (const name of ["debug", "info", "warn", "error"] as const) log[name]({}, name);
    expect(lines().map(({ msg }) => msg)).toEqual(written);
  });

  it("knows exactly the levels of LOG_LEVEL", () => {
    expect(LOG_LEVELS).toEqual(["silent", "error", "warn", "info", "debug"]);
  });

  it("gives a child the fields of its parents", () => {
    const { log, lines } = setup("info");
    const grandchild = log.child({ service: "gateway", runId: "rn_1" }).child({ callId: "rn_1.1.0" });
    grandchild.info({ n: 1 }, "said");
    log.info({}, "said by the parent");
    expect(lines()[0]).toMatchObject({ service: "gateway", runId: "rn_1", callId: "rn_1.1.0", n: 1 });
    expect(lines()[1]).not.toHaveProperty("runId");
  });

  it("writes a field once if its log has the same one, and leaves another value in the line", () => {
    const { log, lines, text } = setup("info");
    const child = log.child({ toolset: "release", callId: "rn_0a_1.2.0" });
    child.info({ toolset: "release", callId: "rn_0a_1.2.0", called: 5 }, "the golden calls passed");
    for (const name of ["toolset", "callId", "runId", "called"]) expect(text().split(`"${name}":`)).toHaveLength(2);
    child.info({ toolset: "mcp" }, "said of another");
    expect(lines()[1]).toMatchObject({ toolset: "mcp" });
  });

  it("adds the run of a call, and call and run of an approval, to a line that has only that id", () => {
    const { log, lines } = setup("info");
    const ids = { runId: "rn_0a_1", callId: "rn_0a_1.2.0" };
    log.info({ callId: ids.callId }, "said of a call");
    log.info({ approvalId: `ap_${ids.callId}` }, "said of an approval");
    log.child({ callId: ids.callId }).info({}, "said by its child");
    log.child({ callId: ids.callId }).child({ tool: "look" }).info({}, "said by a child of it");
    for (const line of lines()) expect(line).toMatchObject(ids);
    log.info({ callId: "of somebody else" }, "no call of ours");
    expect(lines()[4]).not.toHaveProperty("runId");
  });

  it("is JSON if the output is not a terminal and text if it is, unless set otherwise", () => {
    expect(setup("info", { terminal: true }).said()).toMatch(/^\d\d:\d\d:\d\d {2}INFO {3}test {2}a run began {2}runId=rn_1\n$/);
    expect(setup("info", { terminal: false, format: "text" }).said()).toMatch(/ {2}a run began {2}runId=rn_1\n$/);
    expect(JSON.parse(setup("info", { terminal: true, format: "json" }).said())).toMatchObject({ msg: "a run began" });
    expect(setup("info", { terminal: true }).said({ token: "tb_user_abcdefghijklmnop" })).toContain("token=[redacted]");
  });

  it.each([
    [true, true, true],
    [true, false, false],
    [false, true, false],
  ])("has colours at a terminal that shows them: terminal %s, shows them %s", (terminal, colours, expected) => {
    const { said, text } = setup("info", { terminal, colours, format: "text" });
    const plain = said();
    expect(text() !== plain).toBe(expected);
  });

  it("shows the causes of an error, and only the first few of an error that is its own cause", () => {
    const { log, lines } = setup("error");
    log.error({ error: new Error("outer", { cause: new TypeError("inner", { cause: "a text" }) }) }, "failed");
    expect(lines()[0]).toMatchObject({
      error: { message: "outer", cause: { name: "TypeError", message: "inner", cause: { message: "a text" } } },
    });
    const round: Error & { cause?: unknown } = new Error("round");
    round.cause = round;
    log.error({ error: round }, "failed");
    expect(JSON.stringify(lines()[1]).match(/"message":"round"/g)).toHaveLength(5);
  });

  it("shows an error with its name, code, message and stack, and other values as text", () => {
    const { log, lines } = setup("info");
    log.error({ error: Object.assign(new TypeError("broken"), { code: "E_BROKEN", arguments: [1] }) }, "failed");
    log.error({ error: "only a string" }, "failed");
    expect(lines()[0]).toMatchObject({
      error: { name: "TypeError", message: "broken", code: "E_BROKEN", stack: expect.stringContaining("TypeError: broken\n") },
    });
    expect(lines()[0]?.["error"]).not.toHaveProperty("arguments");
    expect(lines()[1]).toMatchObject({ error: { message: "only a string" } });
  });
});

describe("what a log never shows", () => {
  it.each(FIELDS)("is the field %s, at three depths, in lists and in a child", (field) => {
    const { log, text, lines } = setup("info");
    const hidden = { [field]: "not-for-logs" };
    log.info({ ...hidden, call: { ...hidden, nested: hidden }, list: [hidden] }, "said");
    log.child(hidden).info({}, "said");
    expect(text()).not.toContain("not-for-logs");
    expect(lines()[0]).toMatchObject({
      [field]: "[redacted]",
      call: { [field]: "[redacted]", nested: { [field]: "[redacted]" } },
      list: [{ [field]: "[redacted]" }],
    });
    expect(lines()[1]).toMatchObject({ [field]: "[redacted]" });
  });

  it("is a whole object under such a name", () => {
    const { log, text } = setup("info");
    log.info({ arguments: { order: "not-for-logs" }, call: { content: ["not-for-logs"] } }, "said");
    expect(text()).not.toContain("not-for-logs");
  });

  it("is not a field that only sounds like one", () => {
    const { log, lines } = setup("info");
    const fields = { tokens: 3, grantId: "g1", contentType: "text/plain", riskTier: "high", task: "task-of-yesterday-afternoon" };
    log.info(fields, "said");
    expect(lines()[0]).toMatchObject(fields);
  });

  it.each(Object.entries(SECRETS))("is %s, at any place", (_, secret) => {
    const { log, text, lines } = setup("debug");
    const places = [
      secret,
      `before ${secret} after`,
      `"${secret}"`,
      `=${secret}&x`,
      `first line\n${secret}\nthird`,
      `tab\t${secret}`,
      `\u001b${secret}`,
      `(${secret})`,
      `${secret},${secret}`,
    ];
    for (const place of places) {
      log.info({ note: place, deep: { deeper: { deepest: { note: place } } }, list: [place] }, place);
      log.child({ note: place }).error({ error: new Error(place) }, "failed");
    }
    expect(text()).not.toContain(secret.slice(-12));
    expect(text()).toContain("[redacted]");
    expect(lines()).toHaveLength(places.length * 2);
  });

  it("is a secret that is the name of a field", () => {
    const { log, text } = setup("info");
    log.info({ [SECRETS["a key of ours"]]: 1 }, "said");
    expect(text()).not.toContain(SECRETS["a key of ours"]);
  });
});

describe("the silent log", () => {
  it("keeps nothing and is its own child", () => {
    for (const name of ["debug", "info", "warn", "error"] as const) silentLog[name]({ token: "x" }, "said");
    expect(silentLog.child({ runId: "rn_1" })).toBe(silentLog);
  });
});

interface TerminalUnderTest {
  readonly terminal?: boolean;
  readonly format?: LogFormat;
  /** True if the terminal shows colours. A terminal with NO_COLOR shows none. */
  readonly colours?: boolean;
}

/** Returns a log of this level, and the text that it wrote. */
function setup(level: LogLevel, { terminal, format, colours = true }: TerminalUnderTest = {}) {
  let written = "";
  const destination = new Writable({
    write(chunk: Buffer, _encoding, done) {
      written += chunk.toString();
      done();
    },
  });
  const log = createLog({
    name: "test",
    level,
    destination: terminal === undefined ? destination : Object.assign(destination, { isTTY: terminal, hasColors: () => colours }),
    ...(format ? { format } : {}),
  });
  return {
    log,
    text: () => written,
    /** Logs one line and returns it as it was written, without the colours of a terminal. */
    said(fields: object = { runId: "rn_1" }): string {
      log.info(fields, "a run began");
      return stripVTControlCharacters(written);
    },
    lines: (): readonly Readonly<Record<string, unknown>>[] =>
      written
        .split("\n")
        .filter(Boolean)
        .map((line): Record<string, unknown> => JSON.parse(line)),
  };
}
