import { describe, expect, it } from "vitest";
import type { Asked, AskedMessage } from "../model-server.ts";
import { chatBrain } from "./chat-brain.ts";
import { investigationBrain } from "./investigation-brain.ts";

const tool = (name: string) => ({ name, description: "", schema: {}, strict: false });
const asked = (tools: readonly string[], ...messages: readonly AskedMessage[]): Asked => ({
  model: "m",
  system: "",
  messages,
  tools: tools.map(tool),
  toolChoice: "auto",
  parallelCalls: true,
  maxTokens: null,
});
const user = (text: string): AskedMessage => ({ role: "user", text });
const calls = (id: string, name: string, args: Record<string, string>): AskedMessage => ({
  role: "assistant",
  text: "",
  calls: [{ id, name, arguments: args }],
});
const result = (id: string, content: string): AskedMessage => ({ role: "tool", id, content, isError: false });

describe("the chat brain", () => {
  it("calls the tools that the last message names with an object, all in one turn", () => {
    const text = 'Please get_release_summary {"release_id":"v}2"} and then look {"a":{"b":1}}, but not other {"c":1}';
    expect(chatBrain()(asked(["get_release_summary", "look"], user(text))).calls).toEqual([
      { name: "get_release_summary", arguments: { release_id: "v}2" } },
      { name: "look", arguments: { a: { b: 1 } } },
    ]);
    expect(chatBrain()({ ...asked(["look"], user('look {} look {"a":1}')), parallelCalls: false }).calls).toHaveLength(1);
    expect(chatBrain()({ ...asked(["look"], user("look {}")), toolChoice: "none" }).calls).toBeUndefined();
  });

  it("says what the results are, and answers in several scripts if nothing was asked for", () => {
    const came = asked(["look"], user("look {}"), calls("1", "look", {}), result("1", "fine"));
    expect(chatBrain()(came)).toEqual({ text: "Done, 1 call. It came back: fine" });
    const failed = asked(["look"], user("look {}"), calls("1", "look", {}), result("1", '{"error":"not_found","message":"x"}'));
    expect(chatBrain()(failed).text).toBe("Done, 1 call. It failed: not_found");
    expect(chatBrain()(asked([], user("hello"))).text).toMatch(/hello.*好的/);
  });
});

describe("the investigation brain", () => {
  const tools = ["get_release_summary", "file_risk_report"];
  const summary = JSON.stringify({ release_id: "another", change_count: 3, authors: [{}], tests: { passed: 10, failed: 2 } });
  const seeded = [user("Investigate."), calls("s", "get_release_summary", { release_id: "v2" }), result("s", summary)];

  it("files one report on the requested release, with the figures of its summary, and then ends with a text", () => {
    const first = investigationBrain()(asked(tools, ...seeded));
    expect(first.calls).toEqual([
      {
        name: "file_risk_report",
        arguments: {
          release_id: "v2",
          severity: "high",
          findings: ["The release has 3 changes by 1 authors.", "2 tests fail, 10 pass.", "Deployment metrics are not in the summary."],
        },
      },
    ]);
    const filed = asked(tools, ...seeded, calls("f", "file_risk_report", {}), result("f", '{"report_id":"r1"}'));
    expect(investigationBrain()(filed)).toEqual({ text: 'The filing has ended. It came back: {"report_id":"r1"}' });
  });

  it("files again in another investigation of the same conversation", () => {
    const before = [
      ...seeded,
      calls("f", "file_risk_report", {}),
      result("f", "{}"),
      { role: "assistant", text: "Done.", calls: [] } as const,
    ];
    expect(investigationBrain()(asked(tools, ...before, ...seeded)).calls).toHaveLength(1);
  });

  it("reads a summary that is not there yet, and says so if it cannot", () => {
    expect(investigationBrain()(asked(tools, user("Investigate release v1.4.0."))).calls).toEqual([
      { name: "get_release_summary", arguments: { release_id: "v1.4.0" } },
    ]);
    expect(investigationBrain()(asked([], user("Investigate release v1.4.0."))).text).toContain("no release summary");
    expect(
      investigationBrain()(asked(tools, user("x"), calls("s", "get_release_summary", {}), result("s", '{"error":"not_found"}'))).text,
    ).toBe("The summary could not be read. It failed: not_found");
  });
});
