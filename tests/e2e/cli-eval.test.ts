import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { type ModelServer, startModelServer } from "@toolbus/model-servers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CliUnderTest, cliUnderTest, expectRefusal, RELEASE, TOOLBUS } from "./testing/cli-under-test.ts";
import { runProgram, startProgram } from "./testing/program.ts";
import { scratch } from "./testing/scratch.ts";

const files = scratch();
afterAll(() => files.remove());

/** Writes a suite of one message for each name, and returns its place. `expects` is the end that each run must have. */
function suiteOf(name: string, scenarios: readonly string[], expects = "completed"): string {
  const list = scenarios.map((id) => ({
    id,
    tags: ["all"],
    profile: "chat",
    input: { message: `This is ${id}.` },
    expect: { end: expects },
  }));
  return path.dirname(files.file(`${name}/suite.yaml`, JSON.stringify({ suite: name, scenarios: list })));
}

const settingsOf = ({ model, url, key }: ModelServer) => ({
  LLM_PROVIDER: "compatible",
  LLM_MODEL: model,
  LLM_BASE_URL: url,
  LLM_API_KEY: key,
});
const evaluated = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  runProgram(TOOLBUS, ["eval", "run", ...args], { env });
const resultIn = (folder: string) =>
  JSON.parse(readFileSync(path.join(folder, "result.json"), "utf8")) as {
    readonly trials: readonly { readonly scenario: string; readonly status: string }[];
  };

describe("toolbus eval run", () => {
  it("that was killed goes on where it was, and repeats no finished trial", async () => {
    await using closing = new AsyncDisposableStack();
    const reached = Promise.withResolvers<void>();
    const asked: string[] = [];
    const server = await startModelServer("compatible", {
      brain: ({ messages }) => {
        const text = messages.map((message) => ("text" in message ? message.text : "")).join(" ");
        asked.push(/This is (\w+)\./.exec(text)?.[1] ?? "");
        if (asked.length === 3) reached.resolve();
        return { text: "Done." };
      },
    });
    closing.defer(() => server.close());
    const suite = suiteOf("killed", ["one", "two", "three", "four"]);
    const out = files.at("out-killed");
    const args = [suite, "--out", out, "--parallel", "1"];
    // The answer to the third request never arrives, so the first process is in the middle of this trial when it is killed.
    server.failNext({ kind: "slow", afterMs: 0 }, { kind: "slow", afterMs: 0 }, { kind: "held", until: new Promise(() => undefined) });
    {
      await using program = startProgram(TOOLBUS, ["eval", "run", ...args], { env: settingsOf(server) });
      await reached.promise;
      program.kill("SIGKILL");
      expect(await program.ended()).toMatchObject({ signal: "SIGKILL" });
    }
    expect(readdirSync(out).filter((name) => !name.startsWith("lock.db"))).toEqual(["journal.jsonl"]);

    const second = await evaluated(args, settingsOf(server));
    expect(second).toMatchObject({ code: 0, stderr: expect.stringContaining("2 finished trials of an earlier start are kept") });
    expect(asked).toEqual(["one", "two", "three", "three", "four"]);
    expect(resultIn(out).trials.map(({ scenario, status }) => `${scenario} ${status}`)).toEqual([
      "one passed",
      "two passed",
      "three passed",
      "four passed",
    ]);
    expect(readdirSync(out)).toEqual(["lock.db", "result.json"]);
  });

  it("exits with 2 if a trial fails, prints the result as one document and says why in words", async () => {
    const suite = suiteOf("failing", ["one"], "failed");
    const out = ["--out", files.at("out-failing")];
    const told = await evaluated([suite, ...out]);
    expect(told).toMatchObject({
      code: 2,
      stdout: expect.stringMatching(/^failed {2}one {2}rn_\S+\n {2}end: The run ended as completed, expected failed/),
    });
    const json = await evaluated([suite, ...out, "--only", "all", "--repeats", "2", "--json", "--quiet"]);
    expect(json).toMatchObject({ code: 2, stderr: "" });
    expect(JSON.parse(json.stdout)).toMatchObject({
      suite: "failing",
      models: { default: "offline rules-1" },
      trials: [{ repeat: 1 }, { repeat: 2 }],
    });
  });

  it("says in one line what to correct", async () => {
    const out = ["--out", files.at("out-bad")];
    const suite = suiteOf("good", ["one"]);
    expectRefusal(await evaluated([files.at("nowhere"), ...out]), 1, /cannot be read/);
    expectRefusal(await evaluated([suiteOf("empty", []), ...out]), 1, /has no scenarios/);
    expectRefusal(await evaluated([suite, ...out, "--only", "nothing"]), 1, /No scenario of the suite good/);
    expectRefusal(await evaluated([suite, ...out, "--parallel", "none"]), 2, /whole number from 1 to 64/);
    expectRefusal(await evaluated([suite, ...out, "--variant", files.at("no.yaml")]), 1, /The variant .* cannot be read/);
    const empty = files.file("empty-variant.yaml", "name: empty\n");
    expectRefusal(await evaluated([suite, ...out, "--variant", empty]), 1, /changes nothing/);
    files.file("out-bad/journal.jsonl", "This is not a journal.\n");
    expectRefusal(await evaluated([suite, ...out]), 1, /Line 1 of the journal .*--fresh/);
    expect(await evaluated([suite, ...out, "--fresh"])).toMatchObject({ code: 0 });
  });
});

describe("toolbus eval run --live", () => {
  let cli: CliUnderTest;
  beforeAll(async () => {
    cli = await cliUnderTest();
  });
  afterAll(() => cli.stop());

  it("runs the scenarios on the running system, whose tools answer", async () => {
    const scenario = {
      id: "summary",
      profile: "direct",
      input: { message: `get_release_summary {"release_id": "${RELEASE}"}` },
      expect: { tools: { called: [{ tool: "get_release_summary", status: "ok" }] } },
    };
    const file = files.file("live.yaml", JSON.stringify({ suite: "live", scenarios: [scenario] }));
    const ended = await cli.run(["eval", "run", file, "--live", "--out", files.at("out-live")]);
    expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining(`1 of 1 trial passed`) });
    expect(ended.stdout).toContain(`the system at ${cli.gateway}`);
    expectRefusal(await cli.run(["eval", "run", file, "--live", "--variant", "x.yaml"]), 2, /cannot be changed for a --variant/);
  });
});
