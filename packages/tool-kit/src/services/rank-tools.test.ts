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

/** Returns for how many questions one of the right tools is among the first `most`. */
function found(asked: readonly { readonly question: string; readonly right: readonly string[] }[], most: number): number {
  return asked.filter(({ question, right }) =>
    rankTools(tools, (tool) => tool, question)
      .slice(0, most)
      .some(({ name }) => right.includes(name)),
  ).length;
}

describe("the rank of the tools of real MCP servers", () => {
  it("puts the right tool first for at least 80 of 100 questions, and among the first 12 for 95", () => {
    expect([tools.length >= 300, questions.labelled.length]).toEqual([true, 100]);
    const figures = [1, 3, 12].map((most) => found(questions.labelled, most));
    const heldOut = [1, 3, 12].map((most) => found(questions.heldOut, most));
    const paraphrased = [1, 3, 12].map((most) => found(questions.paraphrased, most));
    const words = ([first, three, twelve]: readonly number[]): string => `first ${first}, among three ${three}, among twelve ${twelve}`;
    process.stdout.write(
      `${tools.length} tools, 100 questions: ${words(figures)}. ${questions.heldOut.length} held out: ${words(heldOut)}. ${questions.paraphrased.length} in other words than those of the tools: ${words(paraphrased)}.\n`,
    );
    expect(figures[0]).toBeGreaterThanOrEqual(80);
    expect(figures[2]).toBeGreaterThanOrEqual(95);
    // These figures were known while the weights were chosen, so they are no independent proof.
    expect(heldOut[0]).toBeGreaterThanOrEqual(20);
    // Somebody else wrote these afterwards and avoided the words of the tools. A rank by words finds a third of them.
    expect(paraphrased[0]).toBeGreaterThanOrEqual(17);
  });

  it("labels only tools that the catalogue has", () => {
    const names = new Set(tools.map(({ name }) => name));
    const right = [...questions.labelled, ...questions.heldOut].flatMap((one) => one.right);
    expect(right.filter((name) => !names.has(name))).toEqual([]);
  });

  it("prefers a tool that removes nothing, unless the message asks for it", () => {
    const two = ["delete_comment", "add_comment"].map((name) => ({ name, description: "A comment on a card." }));
    const first = (message: string) => rankTools(two, (tool) => tool, message)[0]?.name;
    expect(first("Leave a comment on the card.")).toBe("add_comment");
    expect(first("Remove my comment from the card.")).toBe("delete_comment");
  });
});
