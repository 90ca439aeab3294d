import { describe, expect, it } from "vitest";
import { rank, scored } from "./rank.ts";

const tools = [
  { name: "list_pods", says: "Lists the pods of a namespace in Kubernetes." },
  { name: "create_issue", says: "Creates an issue in a repository." },
  { name: "list_issues", says: "Lists the issues of a repository, newest first." },
  { name: "closeIssue", says: "Closes it." },
  { name: "send_mail", says: "Sends a mail to a person." },
];
const textOf = ({ name, says }: (typeof tools)[number]) => `${name} ${says}`;
const names = (query: string) => rank(tools, textOf, query).map(({ item }) => item.name);

describe("the rank of items by a query", () => {
  it("puts the item with the rarest words first", () => {
    expect(names("which pods are there in the namespace?")[0]).toBe("list_pods");
    expect(names("mail it to her")[0]).toBe("send_mail");
  });

  it("counts two adjacent words twice as much as one", () => {
    const texts = ["release notes of the plan", "the notes of a plan to release"];
    const [first, second] = scored(texts, (text) => text, "release notes");
    // The scores are calculated by hand. Two words are in both texts (ln 1.2 each), and the phrase is in one of the two (ln 2, twice). The texts have
    // 5 and 7 words.
    expect(first?.score).toBeCloseTo((2 * Math.log(1.2) * 2.5 + 2 * Math.log(2) * 2.5) / 2.3125, 5);
    expect(second?.score).toBeCloseTo((2 * Math.log(1.2) * 2.5) / 2.6875, 5);
  });

  it("has the values of a table that was worked out by hand", () => {
    // Three texts with 2, 3 and 2 words, so 7/3 on average. "red" and "fish" are in two texts: ln(1 + 1.5/2.5) = 0.4700. The pair "red fish" is in
    // one: 2 ln(1 + 2.5/1.5) = 1.9617. A text with 2 words has the factor 2.5 / (1 + 1.5 (0.25 + 0.75 * 6/7)) = 1.0687, and one with 3 words 0.8861.
    const table = [
      ["red fish", 1.0687 * (0.47 + 0.47 + 1.9617)],
      ["blue fish swims", 0.8861 * 0.47],
      ["red blue", 1.0687 * 0.47],
      ["nothing else", 0],
    ] as const;
    const texts = table.slice(0, 3).map(([text]) => text);
    const found = scored(texts, (text) => text, "red fish");
    for (const [n, { score }] of found.entries()) expect(score).toBeCloseTo(table[n]?.[1] ?? 0, 3);
    expect(scored(["nothing else", ...texts], (text) => text, "red fish")[0]?.score).toBe(0);
  });

  it("splits a name into its words, however they are joined", () => {
    expect(names("close issue")[0]).toBe("closeIssue");
    expect(names("create issue")[0]).toBe("create_issue");
  });

  it("finds other forms of a word and synonyms, which count less, and ignores words that say nothing", () => {
    expect(names("Please, could you show me the issue that I am listing?")[0]).toBe("list_issues");
    expect(rank(["image", "picture", "mail"], (text) => text, "some pictures").map(({ item, score }) => [item, score > 0])).toEqual([
      ["picture", true],
      ["image", true],
      ["mail", false],
    ]);
    expect(scored(["the of to", "mail"], (text) => text, "the mail of the day")[0]?.score).toBe(0);
  });

  it("counts a synonym half as much as the word itself", () => {
    const scoreOf = (query: string) => scored(["image", "mail"], (text) => text, query)[0]?.score ?? 0;
    expect(scoreOf("picture")).toBeCloseTo(scoreOf("image") / 2, 5);
  });

  it("reads a name with capitals inside as a whole, too", () => {
    expect(rank(["github fork", "git lab fork"], (text) => text, "GitHub fork")[0]?.item).toBe("github fork");
    expect(rank(["A GitLab project", "A GitHub project"], (text) => text, "my github project")[0]?.item).toBe("A GitHub project");
  });

  it("does not prefer a long text that contains every word once", () => {
    const long = `mail ${"word ".repeat(500)}`;
    expect(rank([long, "mail"], (text) => text, "mail")[0]?.item).toBe("mail");
  });

  it("keeps the order if nothing matches, with a score of 0", () => {
    expect(names("xyzzy")).toEqual(tools.map(({ name }) => name));
    expect(scored(tools, textOf, "xyzzy").map(({ score }) => score)).toEqual([0, 0, 0, 0, 0]);
    expect(rank(tools, textOf, "").length).toBe(tools.length);
    expect(rank([], String, "mail")).toEqual([]);
  });

  it("accepts other scripts, and queries of any length", () => {
    expect(rank(["メール 送信", "ポッド 一覧"], (text) => text, "ポッド")[0]?.item).toBe("ポッド 一覧");
    expect(names(`${"mail ".repeat(100_000)}`)[0]).toBe("send_mail");
  });
});
