import { describe, expect, it } from "vitest";
import { rankTools } from "./rank-tools.ts";
import catalogue from "./testing/catalogue.json" with { type: "json" };
import questions from "./testing/questions.json" with { type: "json" };

interface Listed {
  readonly server: string;
  readonly tools: Readonly<Record<string, string | undefined>>;
}

const tools = (catalogue as readonly Listed[]).flatMap(({ server, tools: own }) =>
  Object.entries(own).map(([name, description = ""]) => ({ name: `${server}__${name}`, description })),
);

/** Returns for how many questions one of the right tools is first, among the first three, and among the first twelve. */
function found(asked: readonly { readonly question: string; readonly right: readonly string[] }[]): readonly number[] {
  const places = asked.map(({ question, right }) =>
    rankTools(tools, (tool) => tool, question).findIndex(({ name }) => right.includes(name)),
  );
  return [1, 3, 12].map((most) => places.filter((place) => place >= 0 && place < most).length);
}

function print(what: string, asked: number, [first, three, twelve]: readonly number[]): void {
  process.stdout.write(`${what}: ${asked} questions, first ${first}, among three ${three}, among twelve ${twelve}.\n`);
}

const best = (two: readonly { readonly name: string; readonly description: string }[], message: string) =>
  rankTools(two, (tool) => tool, message)[0]?.name;
const named = (...names: readonly string[]) => names.map((name) => ({ name, description: "A comment on a card." }));

describe("the rank of the tools of real MCP servers", () => {
  it("puts the right tool first for 85 of 100 and for 32 of 40 questions that no weight was chosen with", () => {
    expect([tools.length >= 300, questions.labelled.length]).toEqual([true, 100]);
    process.stdout.write(`${tools.length} tools of ${catalogue.length} real servers\n`);
    const test = found(questions.labelled);
    const unseen = found(questions.unseen);
    print("test, in none of the choices", questions.labelled.length, test);
    print("unseen, in none of the choices", questions.unseen.length, unseen);
    expect(test[0]).toBeGreaterThanOrEqual(85);
    expect(test[2]).toBeGreaterThanOrEqual(99);
    expect(unseen[0]).toBeGreaterThanOrEqual(32);
    expect(unseen[2]).toBeGreaterThanOrEqual(40);
  });

  it("puts the right tool first for 261 of the 300 questions that the weights were chosen with", () => {
    const { development, heldOut, paraphrased, secondDevelopment } = questions;
    const sets = [development, heldOut, paraphrased, secondDevelopment].map((asked) => [asked, found(asked)] as const);
    const names = ["first", "formerly held out", "in other words than those of the tools", "second, formerly unseen"];
    for (const [n, [asked, figures]] of sets.entries()) print(`development, ${names[n]}`, asked.length, figures);
    for (const [n, least] of [120, 27, 32, 82].entries()) expect(sets[n]?.[1][0]).toBeGreaterThanOrEqual(least);
  });

  it("labels only tools that the catalogue has, and has no question in two sets", () => {
    const names = new Set(tools.map(({ name }) => name));
    const all = Object.values(questions).flat();
    expect(all.flatMap((one) => one.right).filter((name) => !names.has(name))).toEqual([]);
    expect(new Set(all.map(({ question }) => question)).size).toBe(all.length);
  });

  it("prefers a tool that removes nothing, unless the message asks for it", () => {
    const two = named("delete_comment", "add_comment");
    expect(best(two, "Leave a comment on the card.")).toBe("add_comment");
    expect(best(two, "Remove my comment from the card.")).toBe("delete_comment");
  });

  it("prefers a tool that reads for a question, and one that does what the message says", () => {
    expect(best(named("update_comment", "get_comment"), "What is the comment on the card?")).toBe("get_comment");
    expect(best(named("create_comment", "update_comment"), "Change the comment on the card.")).toBe("update_comment");
  });

  it("prefers the server that the message names, and the same form of a word", () => {
    const two = [
      { name: "one__list_cards", description: "The cards." },
      { name: "other__list_cards", description: "The cards." },
    ];
    expect(best(two, "list the cards of other")).toBe("other__list_cards");
    expect(best(named("list_card", "list_cards"), "my cards")).toBe("list_cards");
  });

  it("knows usual abbreviations, names of files, and that a web address is one", () => {
    expect(best(named("list_cards", "list_pull_requests"), "my PRs")).toBe("list_pull_requests");
    expect(best(named("example", "read_file"), "show notes.md")).toBe("read_file");
    expect(best(named("example", "open_url"), "go to https://example.com/notes.md")).toBe("open_url");
  });

  it("counts quoted words, numbers, paths and names of files less than the words of the task", () => {
    const things = ["walrus", "resume", "7", "card"].map((name) => ({ name, description: "" }));
    expect(best(things, "walrus card")).toBe("walrus");
    expect(best(things, 'a card "walrus"')).toBe("card");
    expect(best(things, "a card resume.txt")).toBe("card");
    expect(best(things, "a card /srv/walrus")).toBe("card");
    expect(best(things, "a card 7")).toBe("card");
  });

  it("knows phrases and things that mean an action or an object", () => {
    expect(best(named("example", "add_reaction"), "Thumbs up!")).toBe("add_reaction");
    expect(best(named("example", "navigate_card"), "go to the start")).toBe("navigate_card");
    expect(best(named("read_file", "read_multiple_files"), "Read a.txt and b.txt.")).toBe("read_multiple_files");
    expect(best(named("example", "list_directory"), "what is in /srv/backups")).toBe("list_directory");
  });

  it("reads the action at the beginning of each clause, and not in its nouns", () => {
    expect(best(named("get_comment", "update_comment"), "My comment has a mistake; replace its text.")).toBe("update_comment");
    expect(best(named("get_comment", "update_comment"), "Mark the comment on the count.")).toBe("update_comment");
  });

  it("prefers a tool with the word in its name, and then one with it in the first sentence", () => {
    const three = [
      { name: "one", description: "Feeds it. A walrus." },
      { name: "two", description: "A walrus. Feeds it." },
      { name: "walrus", description: "Feeds it. It feeds." },
    ];
    expect(rankTools(three, (tool) => tool, "the walrus").map(({ name }) => name)).toEqual(["walrus", "two", "one"]);
  });

  it("knows a server by the beginning of its name, and does not count the server's name in the names of its tools", () => {
    const two = [
      { name: "other__search", description: "Searches." },
      { name: "elasticsearch__search", description: "Searches." },
    ];
    expect(best(two, "search in Elastic")).toBe("elasticsearch__search");
    const same = [
      { name: "slack__get_user_card", description: "A user." },
      { name: "slack__slack_get_user", description: "A user." },
    ];
    expect(best(same, "get a user")).toBe("slack__slack_get_user");
  });

  it("finds a tool under its new description, and not under the one before", () => {
    const many = Array.from({ length: 100 }, (_, n) => ({ name: `tool_${n}`, description: `Says the number ${n}.` }));
    expect(best(many, "a walrus")).toBe("tool_0");
    const changed = many.map((one, n) => (n === 70 ? { ...one, description: "Feeds a walrus." } : one));
    expect(best(changed, "a walrus")).toBe("tool_70");
    expect(best(many, "a walrus")).toBe("tool_0");
    expect(best(changed.slice(50), "a walrus")).toBe("tool_70");
  });
});
