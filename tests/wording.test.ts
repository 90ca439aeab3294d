import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { joinedIdeasIn, phrasesToAvoid, stumblesIn } from "./wording.ts";
import { sourceFiles } from "./workspace-source.ts";

const root = path.dirname(import.meta.dirname);
const pages = globSync(["*.md", "docs/**/*.md", "{packages,services,apps,examples}/*/*.md"], { cwd: root }).toSorted();
const TEXT_FILES = [
  "*.{md,ts,json,yaml,yml}",
  "{Dockerfile,toolbus}",
  "{docs,packages,services,apps,examples,bench,scripts,tests}/**/*.{md,ts,mjs,json,yaml,lua,html}",
];
/** The pages on which the project was designed. They were never in the repository, so no file, not even a test, may name them. */
const FORMER_PAGES = new Set(["core", "reliability", "style", "stack"].map((name) => `${name}.md`));
// Only this list and its tests may contain the phrases.
const own = new Set(["tests/wording.ts", "tests/wording.test.ts"]);

/** People's questions name files of their own. */
const QUESTIONS = "packages/tool-kit/src/services/testing/questions.json";

describe("the wording", () => {
  it("of pages has no phrase to avoid", () => {
    expect(pages.length).toBeGreaterThan(60);
    expect(pages.flatMap((file) => reported(file, readFileSync(path.join(root, file), "utf8")))).toEqual([]);
  });

  it("of pages joins no two ideas with a semicolon or a dash", () => {
    // Scripts write these pages from texts of the code, and the changelog keeps what it said.
    const read = pages.filter((file) => !/(?:^|\/)(?:api|inventory|requirements|CHANGELOG)\.md$/.test(file));
    expect(read.length).toBeGreaterThan(60);
    expect(read.flatMap((file) => joinedIdeasIn(readFileSync(path.join(root, file), "utf8")).map((line) => `${file}:${line}`))).toEqual([]);
  });

  it("finds a semicolon or a dash in prose and in cells, but not in code, in targets of links and in generated parts", () => {
    expect(joinedIdeasIn("One; two.\n| a | b; c |\nOne – two.\n| – |\n`a; b` [x](y;z)\n```\na; b\n```\nOne, two.")).toEqual([1, 2, 3]);
    expect(joinedIdeasIn("<!-- generated: x -->\na; b\n<!-- /generated -->\na; b")).toEqual([4]);
  });

  it("of source, comments and names of tests has none either", () => {
    const files = sourceFiles().filter(({ file }) => !own.has(file));
    expect(files.length).toBeGreaterThan(1000);
    expect(files.flatMap(({ file, text }) => reported(file, text))).toEqual([]);
  });

  it.each([
    ["the run is gone on with by another replica", "continue"],
    ["Writes are seen through.", "complete"],
    ["it is as it was wished", "request, ask for"],
    ["Mend the key file", "fix, correct"],
    ["an operator sees to it", "handle, make sure"],
    ["is refused at sight", "at once, immediately"],
    ["shown for the eye", "say what it is for: to be shown"],
    ["grants of before", "earlier, former"],
    ["its lease is let go", "release, drop, disconnect"],
    ["a guarantee is not to be had", "available"],
    ["what is told to people", "name the thing: the event, the message"],
    ["services that run apart", "in separate processes, separately"],
    ["clocks may be apart", "differ"],
    ["a URL, taken apart", "split"],
    ["a shard of theirs", "their; without a limit; later"],
    ["it is nobody's", "belongs to nobody, is refused"],
    ["an agent that there is not", "that does not exist"],
    ["It stopped..", "one stop"],
    ["12 run failed", "the plural"],
  ])("is found in: %s", (text, write) => {
    expect(stumblesIn(text).map((stumble) => stumble.write)).toContain(write);
  });

  it("has an example for each phrase", () => {
    const cases = readFileSync(path.join(root, "tests/wording.test.ts"), "utf8");
    expect(phrasesToAvoid.filter(({ write }) => !cases.includes(`"${write}"]`)).map(({ write }) => write)).toEqual([]);
  });

  it("of pages and source names no page outside of the repository", () => {
    // The facts of other projects name their pages.
    const texts = globSync(TEXT_FILES, { cwd: root, exclude: ["**/node_modules/**", "packages/labelled-releases/releases/**"] });
    expect(texts.length).toBeGreaterThan(1000);
    const known = new Set(texts.filter((file) => file.endsWith(".md")).map((file) => path.basename(file)));
    const outside = texts.flatMap((file) =>
      pagesNamedIn(readFileSync(path.join(root, file), "utf8"))
        .filter((page) => FORMER_PAGES.has(page) || (!known.has(page) && !file.endsWith(".test.ts") && file !== QUESTIONS))
        .map((page) => `${file} names ${page}`),
    );
    expect(outside).toEqual([]);
  });

  it("finds the pages that a text names", () => {
    expect(pagesNamedIn("See `one.md`, [two](../docs/two-b.md#three) and *.md.")).toEqual(["one.md", "two-b.md"]);
  });

  it("lets a page quote what it advises against", () => {
    expect(stumblesIn("~~Mend it.~~ Fix it.")).toEqual([]);
    expect(stumblesIn("Fix it.\n~~Mend it.~~ Mend it.")).toEqual([{ line: 2, found: "Mend", write: "fix, correct" }]);
  });
});

/** Returns the names of the pages that a text names, without their folders. It ignores patterns such as `*.md`. */
function pagesNamedIn(text: string): readonly string[] {
  return [...text.matchAll(/(?<![\w*}>.-])[\w-]+\.md\b/g)].map(([page]) => page);
}

function reported(file: string, text: string): readonly string[] {
  return stumblesIn(text).map(({ line, found, write }) => `${file}:${line}: "${found}": write: ${write}`);
}
