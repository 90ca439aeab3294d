import { describe, expect, it } from "vitest";
import { readAnswer } from "./cli-answer.ts";

const answer = { text: "It is.", calls: [{ name: "look", arguments: { id: 1 } }] };
const read = { text: "It is.", calls: [{ name: "look", arguments: '{"id":1}' }], usage: null };

describe("the answer of a command", () => {
  it.each([
    ["alone", JSON.stringify(answer)],
    ["over several lines", JSON.stringify(answer, null, 2)],
    ["inside a fence", `\`\`\`json\n${JSON.stringify(answer)}\n\`\`\`\n`],
    [
      "after chatter, with braces in it",
      `Loading {model}... {"progress": 1}\nSure! Here it is:\n${JSON.stringify(answer)}\nHope that helps {:`.slice(0, -3),
    ],
    ["last of several", `{"text": "A first thought."}\n${JSON.stringify(answer)}`],
  ])("is found %s", (_, output) => {
    expect(readAnswer(output)).toEqual({ ok: true, answer: read });
  });

  it("may be only text, only calls, with arguments as text, and with token counts", () => {
    expect(readAnswer('{"text":"Hi"}')).toMatchObject({ ok: true, answer: { text: "Hi", calls: [] } });
    expect(readAnswer('{"text":null,"calls":[{"name":"a","arguments":"{broken"},{"name":"b"}]}')).toMatchObject({
      ok: true,
      answer: {
        text: "",
        calls: [
          { name: "a", arguments: "{broken" },
          { name: "b", arguments: "{}" },
        ],
      },
    });
    expect(readAnswer('{"text":"","usage":{"inputTokens":3,"outputTokens":4}}')).toMatchObject({
      ok: true,
      answer: { usage: { inputTokens: 3, outputTokens: 4 } },
    });
    expect(readAnswer('{"text":"","usage":{"inputTokens":-1}}')).toMatchObject({ ok: true, answer: { usage: null } });
  });

  it.each([
    ["", /^nothing$/],
    ["I am sorry.", /no JSON object with "text" or "calls"/],
    ['{"type":"result","result":"{}"}', /no JSON object/],
    ['{"text":"Half","calls":[{"name":"send","arguments":{"text":"Dear', /breaks off/],
    ['{"text":"Broken","calls":[{"name":"send","arguments":{"text":"no answer"}},]}', /no JSON object/],
    [`{"text":"deep","calls":${"[".repeat(80)}`, /breaks off or is nested too deeply/],
    ['{"text":7}', /a "text" that is not a text/],
    ['{"calls":{}}', /as "calls"/],
    ['{"calls":[{"name":"a"},{"arguments":{}}]}', /calls\/1/],
    ['{"calls":[{"name":"a","arguments":[1]}]}', /calls\/0/],
  ])("is not found in %j", (output, why) => {
    expect(readAnswer(output)).toEqual({ ok: false, why: expect.stringMatching(why) });
  });

  it.each(["{", '{"', '{"a":[', '{"a":1,'])("is found among many %s, where a search from each of them would take for ever", (piece) => {
    expect(readAnswer(piece.repeat(200_000 / piece.length)).ok).toBe(false);
  });
});
