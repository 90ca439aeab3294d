import { mkdtempDisposable } from "node:fs/promises";
import { existsSync, readFileSync, watch } from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { TranscriptEntry } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { describeModelProvider } from "../conformance/index.ts";
import { connectModel } from "../connect/connect-model.ts";
import { AnswerTooLarge, ProviderError, ValidationError } from "../model-errors.ts";
import type { ModelRequest } from "../model-provider.ts";
import { modelFacts } from "../facts/model-facts.ts";
import { noModelSettings } from "../connect/model-settings.ts";
import { cliModel } from "./cli-model.ts";
import { connectCli } from "./index.ts";

const CHILD = fileURLToPath(new URL("./command-child.ts", import.meta.url));
const facts = modelFacts("cli", "command");
const run = { runId: "rn_00_1", profile: "chat", input: {} };
const look = { name: "look", description: "Looks.", parameters: { type: "object", properties: { id: { type: "string" } } } } as const;
const user = (text: string): TranscriptEntry => ({ type: "user", runId: run.runId, text, at: 0 });
const request = (text: string, more: Partial<ModelRequest> = {}): ModelRequest => ({
  system: "Be brief.",
  transcript: [user(text)],
  tools: [look],
  maxTokens: 1000,
  run,
  ...more,
});

/** Compiled code saves half of the time of a small program. */
const compiled = { NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? "" };
const commandThat = (manner: string, argument = "", environment: Readonly<Record<string, string>> = compiled) =>
  cliModel({ model: "command", program: process.execPath, args: [CHILD, manner, argument], environment, facts });
const within = (ms: number, signal?: AbortSignal) => ({
  signal: signal ? AbortSignal.any([signal, AbortSignal.timeout(ms)]) : AbortSignal.timeout(ms),
  onText: () => undefined,
});
const ask = (manner: string, argument = "", environment: Readonly<Record<string, string>> = compiled) =>
  commandThat(manner, argument, environment).complete(request("Hello"), within(20_000));
const failureOf = async (asking: Promise<unknown>): Promise<ProviderError> => {
  const error: unknown = await asking.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (error instanceof ProviderError) return error;
  throw new Error(`It was no ProviderError: ${String(error)}`);
};

describeModelProvider("cli", {
  open: () => commandThat("answers"),
  textRequest: request("How is it?"),
  callRequest: request("Please call it."),
  deterministic: true,
});

describe("a command as a model", () => {
  it("gets the whole prompt, with its tools, as one document", async () => {
    const turn = { type: "assistant", runId: run.runId, round: 1, text: "I look.", at: 0, provider: "other", model: "m" } as const;
    const transcript: TranscriptEntry[] = [
      user("What of v2?"),
      { ...turn, calls: [{ id: "toolu_1", callId: "c1", name: "look", arguments: '{"id":"v2"}' }] },
      {
        type: "result",
        runId: run.runId,
        round: 1,
        id: "toolu_1",
        callId: "c1",
        name: "look",
        status: "ok",
        content: "{}",
        isError: false,
        at: 0,
      },
    ];
    const { text } = await commandThat("echoes").complete(
      request("", { transcript, temperature: 0.5, parallelCalls: false, toolChoice: "tool:look" }),
      within(20_000),
    );
    expect(JSON.parse(text)).toEqual({
      version: 1,
      instructions: expect.stringContaining("Answer with one JSON object"),
      model: "command",
      system: "Be brief.",
      messages: [
        { role: "user", text: "What of v2?" },
        { role: "assistant", text: "I look.", calls: [{ id: "toolu_1", name: "look", arguments: { id: "v2" } }] },
        { role: "tool", id: "toolu_1", name: "look", content: "{}", isError: false },
      ],
      tools: [{ name: "look", description: "Looks.", parameters: expect.objectContaining({ type: "object" }) }],
      toolChoice: { tool: "look" },
      parallelCalls: false,
      temperature: 0.5,
      maxTokens: 1000,
    });
  });

  it("gets each tool once, and no more than 128", async () => {
    const others = Array.from({ length: 140 }, (_, n) => ({ ...look, name: `look_${n}` }));
    const { text } = await commandThat("echoes").complete(
      request("", { tools: [look, { ...look, description: "Another." }, ...others] }),
      within(20_000),
    );
    const { tools } = JSON.parse(text) as { tools: readonly { name: string; description: string }[] };
    expect(tools[0]).toMatchObject({ name: "look", description: "Looks." });
    expect(tools.map(({ name }) => name)).toEqual(["look", ...others.slice(0, 127).map(({ name }) => name)]);
  });

  it("gets only the configured part of our environment", async () => {
    const { text } = await ask("tells_its_environment", "", { PATH: "/nowhere", ASKED_FOR: "yes" });
    const names = Object.keys(JSON.parse(text) as object).filter((name) => !name.startsWith("__"));
    expect(names.toSorted()).toEqual(["ASKED_FOR", "PATH"]);
  });

  it("makes no calls if there is nothing to call, whatever it answers", async () => {
    const reply = await commandThat("calls_anyway").complete(request("Hello", { toolChoice: "none" }), within(20_000));
    expect(reply).toMatchObject({ calls: [], stop: "end_turn" });
  });

  it("that fails is reported with its exit code and the end of its output, in one line without a credential", async () => {
    const error = await failureOf(ask("fails", "3", { THE_SECRET: "hunter2-hunter2" }));
    expect(error.message).toBe(
      "The model's command ended with exit code 3 (it wrote: trouble with [redacted] [31mand [redacted]): run it by hand to see why.",
    );
    expect(error.retryable).toBe(false);
  });

  it("may be retried after exit code 75", async () => {
    expect(await failureOf(ask("fails", "75"))).toMatchObject({ retryable: true });
  });

  it.each([
    ["nothing readable", "I am sorry, Dave.", /answered no JSON object with "text" or "calls" \(it wrote: I am sorry, Dave\.\)/],
    ["half an answer", '{"text": "Half', /answered a JSON object that breaks off/],
    ["nothing at all", "", /answered nothing: docs\/models\.md/],
  ])("that prints %s is reported, and may be asked again", async (_, output, words) => {
    const error = await failureOf(ask("prints", output));
    expect(error.message).toMatch(words);
    expect(error.retryable).toBe(true);
  });

  it("that writes endlessly is ended", async () => {
    const error: unknown = await ask("floods").catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(AnswerTooLarge);
    expect(error).toHaveProperty("message", expect.stringMatching(/is over 1048576 bytes and was given up/));
  });

  it("that is missing when it is needed names LLM_CLI_COMMAND", async () => {
    const gone = cliModel({ model: "command", program: "/nowhere/at-all", args: [], environment: {}, facts });
    const error: unknown = await gone.complete(request("Hello"), within(20_000)).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ValidationError);
    expect(error).toHaveProperty("message", expect.stringMatching(/"\/nowhere\/at-all".*does not exist.*LLM_CLI_COMMAND/));
  });

  it("that ignores the end of its turn is killed with all its children", async () => {
    await using folder = await mkdtempDisposable(path.join(os.tmpdir(), "cli-model-"));
    const file = path.join(folder.path, "pids");
    const control = new AbortController();
    const asking = commandThat("hangs", file).complete(request("Hello"), within(20_000, control.signal));
    const failed = asking.catch((thrown: unknown) => thrown);
    const pids = await pidsIn(folder.path, file);
    const reason = new Error("cancelled");
    control.abort(reason);
    expect(await failed).toBe(reason);
    expect(pids).toHaveLength(2);
    // The kernel notifies nobody when an orphaned grandchild ends, so the test polls for it.
    await expect.poll(() => pids.filter(isAlive)).toEqual([]);
  });
});

describe("the setting of a command", () => {
  const connect = (command: string, environment: Readonly<Record<string, string>> = { PATH: process.env["PATH"] ?? "" }) =>
    connectCli({ model: "command", command, environment, facts });

  it.each(["node --version", '["node", "a b"]', process.execPath])("accepts %j", async (command) => {
    expect((await connect(command, { PATH: path.dirname(process.execPath) })).name).toBe("cli");
  });

  it.each<[string, RegExp]>([
    ["[]", /names no program/],
    ["[1]", /only texts/],
    ['["node"', /begins like a JSON array but is not one/],
    ["node a | node b", /contains "\|", and no shell reads it/],
    ["node 'a b'", /contains "'", and no shell reads it/],
    ["no-such-program --help", /"no-such-program", which does not exist or may not be run/],
    ["/etc", /"\/etc", which does not exist or may not be run/],
    [CHILD, /command-child\.ts", which does not exist or may not be run/],
  ])("refuses %j in one sentence", async (command, words) => {
    const settings = { ...noModelSettings, provider: "cli", cliCommand: command, cliEnvironment: { PATH: process.env["PATH"] ?? "" } };
    await expect(connectModel(settings)).rejects.toThrow(words);
    await expect(connectModel(settings)).rejects.toThrow(/LLM_CLI_COMMAND/);
  });

  it("is needed", async () => {
    await expect(connectModel({ ...noModelSettings, provider: "cli" })).rejects.toThrow(/needs a command: set LLM_CLI_COMMAND/);
  });
});

/** Returns the process ids that the command writes when it and its child are up. */
async function pidsIn(folder: string, file: string): Promise<readonly number[]> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const look = (): void => void (existsSync(file) && readFileSync(file, "utf8") !== "" && resolve());
  const watcher = watch(folder, look);
  look();
  await promise;
  watcher.close();
  return readFileSync(file, "utf8").split(" ").map(Number);
}

/** Returns true if the process runs. A zombie that has not been reaped is dead. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !existsSync(`/proc/${pid}/stat`) || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}
