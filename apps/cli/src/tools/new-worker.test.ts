import { mkdir, mkdtempDisposable, readdir, readFile, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { surroundingsUnderTest } from "../testing/surroundings-under-test.ts";
import { runCommandLine } from "../toolbus/program.ts";
import { toolNames } from "./worker-files.ts";

/** Makes a checkout without packages, and a folder beside it in which an author works. */
async function setup() {
  const folder = await mkdtempDisposable(path.join(os.tmpdir(), "new-worker-"));
  const at = (...parts: readonly string[]): string => path.join(folder.path, ...parts);
  await mkdir(at("check out"));
  await mkdir(at("work"));
  return {
    at,
    async run(...words: readonly string[]) {
      const { around, said } = surroundingsUnderTest();
      const place = { ...around, cwd: at("work"), root: at("check out") };
      const ended = await runCommandLine(["tools", "new", ...words], place).catch((error: unknown) => error);
      const failure = ended as { readonly exitCode?: number; readonly message?: string };
      return { code: failure.exitCode ?? ended, problem: failure.message ?? null, ...said() };
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

describe("tools new", () => {
  it("writes a project into a folder with the name of the toolset, and says in JSON what it made and what comes next", async () => {
    await using t = await setup();
    const { code, out } = await t.run("stock-1", "--json");
    expect(code).toBe(0);
    const said = JSON.parse(out) as { readonly files: readonly string[] };
    expect(said).toEqual({
      toolset: "stock-1",
      folder: t.at("work", "stock-1-worker"),
      tools: ["list_stock_1_notes", "add_stock_1_note"],
      files: expect.arrayContaining(["package.json", "tsconfig.json", "README.md", "src/main.ts", "src/toolset.test.ts"]),
      next: [
        "cd stock-1-worker && npm install",
        "npm run check && npm test",
        expect.stringMatching(
          /^BUS_URL=.+ STATE_URL=.+ RECEIPT_KEY_FILE='\.\.\/\.\.\/check out\/\.toolbus\/keys\/receipts-signing\.jwk' npm start$/,
        ),
      ],
    });
    const files = await readdir(t.at("work", "stock-1-worker"), { recursive: true, withFileTypes: true });
    expect(
      files
        .filter((file) => file.isFile())
        .map((file) => path.relative(t.at("work", "stock-1-worker"), path.join(file.parentPath, file.name)))
        .toSorted(),
    ).toEqual(said.files.toSorted());
  });

  it("leaves no placeholder in a file, and links the checkout", async () => {
    await using t = await setup();
    await t.run("stock", "--directory", "../mine");
    for (const file of await readdir(t.at("mine"), { recursive: true, withFileTypes: true }))
      if (file.isFile()) expect(await readFile(path.join(file.parentPath, file.name), "utf8")).not.toMatch(/\{\{|undefined/);
    expect(JSON.parse(await readFile(t.at("mine", "package.json"), "utf8"))).toMatchObject({
      name: "stock-worker",
      dependencies: { "@toolbus/tool-kit": "file:../check out/packages/tool-kit" },
      // A checkout without packages has nothing else to link.
      devDependencies: {},
    });
  });

  it("says what it made, and the next three commands", async () => {
    await using t = await setup();
    const { code, out } = await t.run("stock", "--directory", "my worker");
    expect(code).toBe(0);
    expect(out).toContain(`The worker of the toolset stock is in ${t.at("work", "my worker")}:\n  package.json\n`);
    expect(out).toMatch(/Next:\n {2}cd 'my worker' && npm install\n {2}npm run check && npm test\n {2}BUS_URL=.+ npm start\n$/);
  });

  it("refuses a folder with a file, and changes nothing in it", async () => {
    await using t = await setup();
    await mkdir(t.at("work", "stock-worker"));
    await writeFile(t.at("work", "stock-worker", "notes.txt"), "mine");
    expect(await t.run("stock")).toEqual({
      code: 2,
      problem: expect.stringMatching(/stock-worker is not an empty folder/),
      out: "",
      err: "",
    });
    expect(await readdir(t.at("work", "stock-worker"))).toEqual(["notes.txt"]);
  });

  it("accepts an empty folder", async () => {
    await using t = await setup();
    await mkdir(t.at("work", "stock-worker"));
    expect(await t.run("stock")).toMatchObject({ code: 0 });
  });

  it("refuses a folder inside of a file", async () => {
    await using t = await setup();
    await writeFile(t.at("work", "file"), "mine");
    expect(await t.run("stock", "--directory", "file/stock")).toMatchObject({
      code: 2,
      problem: expect.stringMatching(/file\/stock is not an empty folder/),
    });
  });

  it.each([
    ["Stock", /^"Stock" is not a name of a toolset: use lower-case letters, /],
    ["../stock", /^"\.\.\/stock" is not a name of a toolset/],
    ["x".repeat(33), /is not a name of a toolset: .+, 32 at most\.$/],
    ["release", /^Toolbus itself has a toolset "release": choose another name\.$/],
  ])("refuses the name %s, and writes nothing", async (name, problem) => {
    await using t = await setup();
    expect(await t.run(name)).toEqual({ code: 2, problem: expect.stringMatching(problem), out: "", err: "" });
    expect(await readdir(t.at("work"))).toEqual([]);
  });
});

describe("the names of the tools of a new worker", () => {
  it.each(["stock", "a-b", "a__b-", "x".repeat(32)])("are in snake case for the toolset %s, as a tool's name must be", (toolset) => {
    for (const name of Object.values(toolNames(toolset))) expect(name).toMatch(/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/);
  });
});
