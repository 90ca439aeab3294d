import { describe, expect, it } from "vitest";
import { outputWords } from "./output-words.ts";

const JWS = `eyJ${"a".repeat(20)}.${"b".repeat(20)}.${"c".repeat(20)}`;

/** Returns the processor time of the work in milliseconds. Other work on the machine does not lengthen it. */
function msOf(work: () => unknown): number {
  const began = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(began);
  return (user + system) / 1000;
}

describe("the words of a program's output", () => {
  it.each([
    ["the user and password of an address", "at amqp://user:hunter2@host", "at amqp://[redacted]@host"],
    ["a password with colons", "at amqp://user:hunter2:a:b@host", "at amqp://[redacted]@host"],
    ["a password without a user", "at redis://:hunter2@host", "at redis://[redacted]@host"],
    ["a key of Google", `no AIza${"Sy-_1".repeat(7)} here`, "no [redacted] here"],
    ["a token of Hugging Face", `no hf_${"Ab".repeat(17)} here`, "no [redacted] here"],
    ["a fine-grained token of GitHub", `no github_pat_${"11AB".repeat(8)} here`, "no [redacted] here"],
    ["a temporary key id of AWS", "no ASIAIOSFODNN7EXAMPLE here", "no [redacted] here"],
    ["a token", `no ${JWS} here`, "no [redacted] here"],
    ["a token in capital letters", `no ${JWS.toUpperCase()} here`, "no [redacted] here"],
  ])("do not show %s", (_what, text, words) => expect(outputWords(text, [])).toBe(words));

  it.each([":", "://", "://a:", "-eyJaaaaaaaaaa", "-eyJaaaaaaaaaa.a", "bearer ", "bearer -", "sk-"])(
    "need time in proportion to the length of an output that repeats %j",
    (part) => {
      for (const before of ["", "://", "eyJ"])
        expect(msOf(() => outputWords(`${before}${part.repeat(200_000 / part.length)} `, []))).toBeLessThan(1000);
    },
  );
});
