import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { linesOf, reportOf, summaryOf } from "./pages/report.ts";
import { shownIds } from "./pages/shown-ids.ts";
import { patternOf, type Step, stepsOf } from "./pages/steps.ts";
import { pagesOf, type Tried } from "./pages/try-pages.ts";

const root = path.dirname(import.meta.dirname);
const stepsIn = (page: string): readonly Step[] => stepsOf(readFileSync(path.join(root, page), "utf8"));
const typed = (steps: readonly Step[]) => steps.filter((step) => step.kind === "types");
const page = (...lines: readonly string[]): string => `# A page\n\n${lines.join("\n")}\n`;

describe("the pages", () => {
  it.each(pagesOf(root))("say of each of their fences what it is: %s", (name) => {
    expect(() => stepsIn(name)).not.toThrow();
  });

  it("are mostly run, and have a reason for each command that is not", () => {
    const steps = pagesOf(root).flatMap(stepsIn);
    expect(typed(steps).filter(({ hidden }) => !hidden).length).toBeGreaterThan(80);
    // A higher limit needs a decision, because no test runs these commands. For example, four commands of docs/mcp.md install a server from npm, and
    // one command of docs/testing.md records the examples again. One command of an example's page is run as part of README.md. One
    // needs Docker, and one needs a key of OpenRouter. Six need a cluster of Kubernetes. About twenty of the evaluation and
    // of replays need the id of a run, a file of the reader or a model's key. Their tests run them.
    expect(steps.filter(({ kind }) => kind === "not-run").length).toBeLessThanOrEqual(79);
  });
});

describe("a fence of a page", () => {
  it.each([
    ["without a language", ["```", "npm start", "```"], /line 3 does not say what it is/],
    ["in another shell's language", ["```bash", "npm start", "```"], /line 3 does not say what it is/],
    ["of commands without a terminal", ["```sh", "npm start", "```"], /line 3 does not say what it is/],
    ["with a word that means nothing", ["```sh terminal-1 stay", "npm start", "```"], /line 3 has the word "stay"/],
    ["of more commands than terminals", ["```sh terminals-1,2", "a", "b", "c", "```"], /line 3 has no terminal for its command 3/],
    ["with a reason that is none", ["```sh not-run:", "a", "```"], /line 3 has the word "not-run:"/],
    ["of text behind no command", ["```text", "ok", "```"], /line 3 is the output of no command before it/],
  ])("%s is refused with its line", (_, lines, words) => {
    expect(() => stepsOf(page(...lines))).toThrow(words);
  });

  it("has one command per line, each with its own terminal, without its comments", () => {
    const steps = stepsOf(page("```sh terminal-2 exit-3,0/2", "first \\", "  --more", "# a comment", "second # another", "```"));
    expect(steps).toEqual([
      {
        kind: "types",
        line: 4,
        terminal: "terminal-2",
        command: "first \\\n  --more",
        stays: false,
        exits: [3],
        shows: null,
        hidden: false,
      },
      {
        kind: "types",
        line: 7,
        terminal: "terminal-2",
        command: "second # another",
        stays: false,
        exits: [0, 2],
        shows: null,
        hidden: false,
      },
    ]);
  });

  it("has one terminal per command if it says so, and exports that hold in all of them", () => {
    const steps = stepsOf(page("```sh terminals-1,2,3 stays-1,2 says: up | served", "export A=1", "a", "b", "c", "```"));
    expect(steps[0]).toMatchObject({ kind: "exports", terminals: ["terminal-1", "terminal-2", "terminal-3"], command: "export A=1" });
    expect(typed(steps).map(({ terminal, command, stays, shows }) => [terminal, command, stays, shows])).toEqual([
      ["terminal-1", "a", true, "up"],
      ["terminal-2", "b", true, "served"],
      ["terminal-3", "c", false, null],
    ]);
  });

  it("has a reason for all its commands, or for those with these numbers", () => {
    expect(stepsOf(page("```sh not-run: needs Docker", "a", "b", "```"))).toEqual([
      { kind: "not-run", line: 4, command: "a", why: "needs Docker" },
      { kind: "not-run", line: 5, command: "b", why: "needs Docker" },
    ]);
    const kinds = stepsOf(page("```sh terminal-1 not-run-2: takes minutes", "a", "b", "c", "```")).map(({ kind }) => kind);
    expect(kinds).toEqual(["types", "not-run", "types"]);
  });

  it("is a step that no reader sees if it is in a comment", () => {
    const steps = stepsOf(page("<!--", "```sh terminal-1", "a", "```", "-->", "", "```sh terminal-1", "b", "```"));
    expect(typed(steps).map(({ command, hidden }) => [command, hidden])).toEqual([
      ["a", true],
      ["b", false],
    ]);
  });

  it("of text is the output of the command before it, a later output of a terminal, or nothing to be tried", () => {
    const steps = stepsOf(
      page(
        "```sh terminal-1",
        "a",
        "```",
        "```text",
        "…",
        "done in … s",
        "```",
        "```text terminal-3",
        "later",
        "```",
        "```text to-read",
        "x",
        "```",
      ),
    );
    expect(steps).toMatchObject([
      { kind: "types", shows: "…\ndone in … s" },
      { kind: "sees", terminal: "terminal-3", shows: "later" },
    ]);
    expect("any\nlines\ndone in 3.2 s\n").toMatch(patternOf("…\ndone in … s"));
    expect("any\nlines\nfailed\n").not.toMatch(patternOf("…\ndone in … s"));
  });

  it("with the name of a file is that file, and in another language nothing", () => {
    const steps = stepsOf(page("```ts tools/a.ts", "const a = 1;", "```", "```ts", "const b = 1;", "```"));
    expect(steps).toEqual([{ kind: "writes", line: 3, file: "tools/a.ts", text: "const a = 1;\n" }]);
  });
});

describe("an id on a page", () => {
  const RUN = `rn_0a_${"0".repeat(26)}`;

  it("stands for the last one that was shown, in a list for the first", () => {
    const ids = shownIds();
    ids.see(`LETTER\ndl_0a_${"1".repeat(26)}  newest\ndl_0a_${"2".repeat(26)}  older\n`);
    ids.see(`a ap_${RUN}.1.0 and the hash sha256-a_B-9\n`);
    expect(ids.putInto("replay dl_…")).toBe(`replay dl_0a_${"1".repeat(26)}`);
    expect(ids.putInto("show dl_04_01K0AB5M0Y4T8J6W2Q9Z3C7D1E")).toBe(`show dl_0a_${"1".repeat(26)}`);
    expect(ids.putInto("approve ap_rn_… --yes; why rn_…")).toBe(`approve ap_${RUN}.1.0 --yes; why ${RUN}`);
    expect(ids.putInto("enable --hash sha256-…")).toBe("enable --hash sha256-a_B-9");
  });

  it("and of a choice the first option, unless something else is stated", () => {
    expect(shownIds().putInto("serve <anthropic|openai> [chat|investigation]")).toBe("serve anthropic chat");
  });
});

describe("the report of a try", () => {
  const one = (part: Partial<Tried>): Tried => ({ page: "docs/a.md", line: 7, command: "a # why", outcome: "ok", seconds: 1.25, ...part });

  it("has one line per command, and for a failed one page, line, command, the expected and the shown output", () => {
    expect(linesOf(one({}))).toEqual(["ok      docs/a.md:7                a  1.3 s"]);
    expect(linesOf(one({ outcome: "not run", why: "needs Docker" }))).toEqual(["not run docs/a.md:7                a  (needs Docker)"]);
    expect(linesOf(one({ outcome: "failed", expected: "exit code 0, not 1", shown: "no\nway\n" })).slice(1)).toEqual([
      "  expected",
      "    exit code 0, not 1",
      "  shown",
      "    no",
      "    way",
    ]);
  });

  it("ends with counts, and the number of commands that each reason keeps from being run", () => {
    const report = reportOf([
      one({}),
      one({ outcome: "not run", why: "b" }),
      one({ outcome: "not run", why: "c" }),
      one({ outcome: "not run", why: "c" }),
    ]);
    expect(report).toMatchObject({
      ok: true,
      counts: { ok: 1, failed: 0, notRun: 3 },
      notRun: [
        { why: "c", commands: 2 },
        { why: "b", commands: 1 },
      ],
    });
    expect(summaryOf(report).slice(2)).toEqual(["   2  c", "   1  b", "", "1 ok, 0 failed, 3 not run, 5 s"]);
  });

  it("is no success if one failed, or if none was run", () => {
    expect(reportOf([one({}), one({ outcome: "failed" })]).ok).toBe(false);
    expect(reportOf([one({ outcome: "not run", why: "b" })]).ok).toBe(false);
    expect(reportOf([]).ok).toBe(false);
  });
});
