import { expect, it } from "vitest";
import { wordsOf } from "./changelog-items.ts";
import type { CommitFacts } from "./release-facts.ts";
import { repeatedSubjects } from "./repeated-subjects.ts";

const commit = (subject: string): CommitFacts => ({ hash: "0123456789ab", date: "2026-01-01T00:00:00Z", subject, parents: 1 });
const found = (text: string, ...subjects: readonly string[]) =>
  repeatedSubjects(subjects.map(commit))(wordsOf(text)).map(({ subject }) => subject);

it("finds each commit whose whole subject is in a text, from four words on", () => {
  const one = "fix(http): Use `r.RemoteAddr` to check access (#12)";
  const other = "Check access of the page";
  expect(found("* Use r.RemoteAddr to check access of the page (CVE-2026-1111)", one, other, "Check access", "Use it")).toEqual([
    one,
    other,
  ]);
  expect(found("Use r.RemoteAddr to check the access", one, other)).toEqual([]);
});

it("is fast on a long changelog and many commits", { timeout: 10_000 }, () => {
  const find = repeatedSubjects(Array.from({ length: 5000 }, (_, n) => commit(`Change the page with number ${n}`)));
  const entry = wordsOf("Removed the option with a name of the page of words ".repeat(12));
  for (let n = 0; n < 10_000; n++) expect(find(entry)).toEqual([]);
  expect(find(wordsOf("Change the page with number 4999"))).toHaveLength(1);
});
