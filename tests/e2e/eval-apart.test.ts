import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { startModelServer } from "@toolbus/model-servers";
import { afterAll, describe, expect, it } from "vitest";
import { expectRefusal, TOOLBUS } from "./testing/cli-under-test.ts";
import { runProgram, startProgram } from "./testing/program.ts";
import { scratch } from "./testing/scratch.ts";

const files = scratch();
afterAll(() => files.remove());

let setups = 0;

/** Returns a suite whose model never answers, so that an evaluation of it runs until it is killed, and the same suite with a model that answers. */
async function setup() {
  const folder = `apart-${++setups}`;
  const asked = Promise.withResolvers<void>();
  const server = await startModelServer("compatible", {
    brain: () => {
      asked.resolve();
      return { text: "Done." };
    },
  });
  server.failNext({ kind: "held", until: new Promise(() => undefined) });
  const scenarios = [{ id: "one", profile: "chat", input: { message: "Hello" }, expect: { end: "completed" } }];
  const suite = files.file(`${folder}/suite.yaml`, JSON.stringify({ suite: "apart", scenarios }));
  const temporary = files.at(`${folder}/tmp`);
  mkdirSync(temporary, { recursive: true });
  const model = { LLM_PROVIDER: "compatible", LLM_MODEL: server.model, LLM_BASE_URL: server.url, LLM_API_KEY: server.key };
  const argsFor = (out: string, ...more: readonly string[]) => ["eval", "run", suite, "--out", out, ...more];
  return {
    out: files.at(`${folder}/out`),
    otherOut: files.at(`${folder}/other`),
    /** The folders of running and killed evaluations. */
    leftovers: () => readdirSync(temporary).filter((name) => name.startsWith("toolbus-eval-")),
    evaluate: (out: string, ...more: readonly string[]) =>
      runProgram(TOOLBUS, argsFor(out, ...more), { env: { TMPDIR: temporary, ...model } }),
    /** Resolves when the evaluation waits for its model. */
    async hanging(out: string) {
      const program = startProgram(TOOLBUS, argsFor(out), { env: { TMPDIR: temporary, ...model } });
      await asked.promise;
      return program;
    },
    [Symbol.asyncDispose]: () => server.close(),
  };
}

describe("an evaluation that runs", () => {
  it("keeps a second one out of its folder with one sentence, and no longer does so after a kill", async () => {
    await using t = await setup();
    {
      await using first = await t.hanging(t.out);
      const journal = readFileSync(path.join(t.out, "journal.jsonl"), "utf8");
      expectRefusal(await t.evaluate(t.out), 1, /^Another evaluation runs in the folder .+\/out: wait until it has ended, or name another/);
      expectRefusal(await t.evaluate(t.out, "--fresh"), 1, /^Another evaluation runs in the folder/);
      expect(readFileSync(path.join(t.out, "journal.jsonl"), "utf8")).toBe(journal);
      expect(await t.evaluate(t.otherOut)).toMatchObject({ code: 0 });
      first.kill("SIGKILL");
      expect(await first.ended()).toMatchObject({ signal: "SIGKILL" });
    }
    expect(await t.evaluate(t.out)).toMatchObject({ code: 0, stdout: expect.stringContaining("1 of 1 trial passed") as string });
  });

  it("leaves no temporary folder, and the next one removes those of killed ones but never that of a running one", async () => {
    await using t = await setup();
    await using running = await t.hanging(t.out);
    const [own] = t.leftovers();
    expect(t.leftovers()).toHaveLength(1);
    expect(await t.evaluate(t.otherOut)).toMatchObject({ code: 0 });
    expect(t.leftovers()).toEqual([own]);
    running.kill("SIGKILL");
    expect(await running.ended()).toMatchObject({ signal: "SIGKILL" });
    expect(t.leftovers()).toEqual([own]);
    expect(await t.evaluate(t.otherOut)).toMatchObject({ code: 0 });
    expect(t.leftovers()).toEqual([]);
  });
});
