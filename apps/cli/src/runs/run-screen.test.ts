import type { RunEvent } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import type { Sink } from "../terminal/output.ts";
import { runScreen } from "./run-screen.ts";
import type { StreamItem } from "./watch-run.ts";

const usage = { inputTokens: 1, outputTokens: 1, modelCalls: 1, toolCalls: 1 };
const RUN = "rn_00_01K0AB5M0Y4T8J6W2Q9Z3C7D1E";
const CALL = `${RUN}.1.0`;

function setup({ terminal = false, text = true, quiet = false } = {}) {
  let written = "";
  const sink: Sink = { isTTY: terminal, columns: 80, write: (words: string) => void (written += words) };
  const screen = runScreen({ progress: sink, text: text ? sink : null, colour: false, quiet });
  let sequence = 0;
  const show = (...events: readonly (RunEvent | Exclude<StreamItem, { sequence: number }>)[]): void =>
    events.forEach((event) => screen.item({ ...event, sequence: ++sequence } as StreamItem));
  return { screen, show, written: () => written };
}

const turn = (round: number, text: string, ...tools: readonly string[]): RunEvent => ({
  type: "turn",
  at: 1000,
  round,
  seed: false,
  provider: "offline",
  model: "rules",
  text,
  calls: tools.map((tool, n) => ({ callId: `${RUN}.${round}.${n}`, transcriptId: "t", tool, kind: "read", arguments: '{"a":1}' })),
  usage,
});
const delta = (round: number, text: string): StreamItem => ({ type: "delta", epoch: 1, round, offset: 0, after: 0, text });
const completed = (text: string): RunEvent => ({ type: "run.completed", at: 9000, text, truncated: false, report: null, usage });
const resolved = (status: "ok" | "error", content: string): RunEvent => ({
  type: "call.resolved",
  at: 3000,
  callId: CALL,
  tool: "look_up",
  status,
  latencyMs: 12,
  content,
  usage,
});

describe("a run on the screen", () => {
  it("shows its calls and its text once each, when the text streams", () => {
    const { show, written } = setup();
    show(delta(1, "Let me "), delta(1, "look."), turn(1, "Let me look.", "look_up"), resolved("ok", "{}"), delta(2, "Found."));
    show(turn(2, "Found."), completed("Found."));
    expect(written()).toBe('Let me look.\n→ look_up {"a":1}\n✓ look_up ok, 12 ms\nFound.\n');
  });

  it("shows the same text when nothing streamed", () => {
    const { show, written } = setup();
    show(turn(1, "Let me look.", "look_up"), resolved("ok", "{}"), turn(2, "Found."), completed("Found."));
    expect(written()).toBe('Let me look.\n→ look_up {"a":1}\n✓ look_up ok, 12 ms\nFound.\n');
  });

  it("shows at its end the text that no turn contained", () => {
    const { show, written } = setup();
    show(turn(1, "Let me look.", "look_up"), completed("I stopped: the rounds are used up."));
    expect(written()).toMatch(/\nI stopped: the rounds are used up\.\n$/);
  });

  it("says of a waiting call that nobody serves its tool, because its toolset may have a worker without this tool", () => {
    const { show, written } = setup();
    show({ type: "call.unserved", at: 3000, callId: CALL, tool: "pay_out", toolset: "bank", since: 1000 });
    expect(written()).toBe("‖ pay_out waits for a worker: no worker of bank has served this tool for 2 s\n");
  });

  it("says at a terminal how long it has waited for an agent or for the model, until there is something to read", () => {
    const { screen, show, written } = setup({ terminal: true });
    const drawn = (now: number): string => {
      const before = written().length;
      screen.tick(now);
      return written().slice(before);
    };
    expect(drawn(1000)).toContain("waiting for an agent 0 s");
    expect(drawn(3000)).toContain("waiting for an agent 2 s");
    show({ type: "run.started", at: 4000, fields: {} } as unknown as RunEvent);
    expect(drawn(24_000)).toContain("waiting for the model 20 s");
    show(turn(1, "", "look_up"));
    expect(drawn(25_000)).toContain("look_up 24 s");
    show(resolved("ok", "{}"));
    expect(drawn(8000)).toContain("waiting for the model 5 s");
    show(delta(2, "Fou"));
    expect(drawn(9000), "the text is being written").toBe("");
    show(turn(2, "Fou"), completed("Fou"));
    expect(drawn(10_000), "the run has ended").toBe("");
  });

  it("leaves the text out if only the answer is wanted, and everything else when quiet", () => {
    const progressOnly = setup({ text: false });
    progressOnly.show(delta(1, "Text."), turn(1, "Text.", "look_up"), completed("Text."));
    expect(progressOnly.written()).toBe('→ look_up {"a":1}\n');
    const quiet = setup({ quiet: true });
    quiet.show(delta(1, "Text."), turn(1, "Text.", "look_up"), completed("Text."));
    expect(quiet.written()).toBe("Text.\n");
  });

  it("says why a call failed, in the tool's own sentence and on one line", () => {
    const { show, written } = setup();
    show(turn(1, "", "look_up"), resolved("error", JSON.stringify({ error: "not_found", message: "There is no\nrelease v9." })));
    expect(written()).toContain("✗ look_up error, 12 ms: There is no release v9.\n");
  });

  it("says how to approve a write that waits, with the whole id on a line of its own", () => {
    const { show, written } = setup();
    show({
      type: "call.held",
      at: 1,
      callId: CALL,
      tool: "file",
      approvalId: `ap_${CALL}`,
      tier: "high",
      effect: "File it. ".repeat(30),
      expiresAt: 2,
    });
    expect(written()).toContain(`\n  toolbus approvals approve ap_${CALL}\n`);
    expect(
      written()
        .split("\n")
        .every((line) => line.length <= 100),
    ).toBe(true);
  });

  it("shows the age of running calls on a terminal, and clears it before anything else is written", () => {
    const { screen, show, written } = setup({ terminal: true });
    show(turn(1, "", "look_up"));
    screen.tick(4000);
    expect(written()).toMatch(/look_up 3 s$/);
    show({ type: "progress", callId: CALL, tool: "look_up", n: 1, at: 1, message: "page 2", fraction: 0.4 });
    screen.tick(64_000);
    expect(written()).toMatch(/\r\u001b\[2K {2}look_up 1 min, page 2 40 %$/);
    show(resolved("ok", "{}"));
    expect(written()).toMatch(/\r\u001b\[2K✓ look_up ok, 12 ms\n$/);
    show(completed(""));
    const before = written();
    screen.tick(70_000);
    expect(written()).toBe(before);
  });

  it("has no live line without a terminal, and shows each step of a tool once", () => {
    const { screen, show, written } = setup();
    show(turn(1, "", "look_up"));
    const step: StreamItem = { type: "progress", callId: CALL, tool: "look_up", n: 1, at: 1, message: "page 2" };
    show(step, step);
    screen.tick(4000);
    expect(written()).toBe('→ look_up {"a":1}\n… look_up: page 2\n');
  });

  it("lets nothing that a model or a tool says reach the terminal's controls", () => {
    const { show, written } = setup();
    show(delta(1, "\u001b[2J"), turn(1, "\u001b[2J", "\u001b[2J"), resolved("error", '{"message": "\u009b1A"}'));
    show({ type: "call.asked", at: 1, callId: CALL, question: "\u001b]0;x\u0007?", options: ["\u001b"], expiresAt: 2 });
    expect(written()).not.toMatch(/[\u001b\u009b\u0007]/);
  });

  it("skips what it does not know, as a newer server may send it", () => {
    const { screen, written } = setup();
    screen.item({ type: "run.moved" } as unknown as StreamItem);
    expect(written()).toBe("");
  });
});
