import { chmodSync } from "node:fs";
import { createServer } from "node:net";
import { investigationBrain, type ModelServer, startModelServer } from "@toolbus/model-servers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TOOLBUS } from "./testing/cli-under-test.ts";
import { DEMO, type Ended, runProgram, stackLines, START } from "./testing/program.ts";
import { filedIn, scratch, type Scratch, taggedRepository } from "./testing/scratch.ts";

let files: Scratch;
let repo = "";
beforeAll(() => {
  files = scratch();
  repo = taggedRepository(files.at("repo"));
});
afterAll(() => files.remove());

const SECRET = "sk-e2e-secret-0123456789";

/** Expects one sentence on standard error that says what to do, no stack, and no key in the output. */
function expectSentence({ stdout, stderr }: Ended, words: RegExp): void {
  expect(stackLines(stderr)).toEqual([]);
  expect(stderr).not.toContain("A fault of Toolbus");
  expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  expect(stderr).toMatch(words);
  expect(stdout + stderr).not.toContain(SECRET);
}

/** The `--json` document of a run. */
interface Document {
  readonly status: string;
  readonly severity: string | null;
  readonly error: { readonly code: string; readonly message: string } | null;
}

describe("a wrong configuration of the model stops the start with one sentence", () => {
  const cases: readonly { what: string; env: () => Record<string, string>; words: RegExp }[] = [
    {
      what: "a provider that does not exist",
      env: () => ({ LLM_PROVIDER: "nonsense" }),
      words: /LLM_PROVIDER.*nonsense.*offline.*anthropic/,
    },
    { what: "no key", env: () => ({ LLM_PROVIDER: "anthropic" }), words: /"anthropic" needs a key: set ANTHROPIC_API_KEY/ },
    {
      what: "two keys and no choice",
      env: () => ({ ANTHROPIC_API_KEY: SECRET, OPENAI_API_KEY: SECRET }),
      words: /ANTHROPIC_API_KEY and OPENAI_API_KEY are set.*set LLM_PROVIDER to anthropic or openai/,
    },
    {
      what: "a key with a quote",
      env: () => ({ OPENAI_API_KEY: `"${SECRET}"` }),
      words: /OPENAI_API_KEY contains a character that no key contains.*copy the key again/,
    },
    {
      what: "a missing key file",
      env: () => ({ OPENAI_API_KEY_FILE: files.at("none") }),
      words: /OPENAI_API_KEY_FILE cannot be read \(ENOENT\)/,
    },
    {
      what: "a model name with the offline rules",
      env: () => ({ LLM_PROVIDER: "offline", LLM_MODEL: "gpt-x" }),
      words: /"offline" has no model "gpt-x".*LLM_PROVIDER/,
    },
    { what: "a model and no provider", env: () => ({ LLM_MODEL: "gpt-x" }), words: /LLM_MODEL names "gpt-x".*set LLM_PROVIDER/ },
    { what: "Ollama without a model", env: () => ({ LLM_PROVIDER: "ollama" }), words: /ollama pull.*LLM_MODEL/ },
    { what: "a compatible server without an address", env: () => ({ LLM_PROVIDER: "compatible", LLM_MODEL: "m" }), words: /LLM_BASE_URL/ },
    {
      what: "an invalid address, which is not repeated",
      env: () => ({ LLM_BASE_URL: `me:${SECRET}@llm.example`, LLM_MODEL: "m" }),
      words: /LLM_BASE_URL.*http:\/\//,
    },
    { what: "an invalid temperature", env: () => ({ LLM_TEMPERATURE: "warm" }), words: /LLM_TEMPERATURE must be a number from 0 to 2/ },
    { what: "no command", env: () => ({ LLM_PROVIDER: "cli" }), words: /LLM_CLI_COMMAND/ },
    {
      what: "a command for a shell",
      env: () => ({ LLM_CLI_COMMAND: "echo hi | cat" }),
      words: /LLM_CLI_COMMAND contains "\|", and no shell reads it/,
    },
    { what: "a missing command", env: () => ({ LLM_CLI_COMMAND: "no-such-program" }), words: /"no-such-program".*install it/ },
  ];

  it.each(cases)("of the demo: $what", async ({ env, words }) => {
    const data = files.data();
    const ended = await runProgram(DEMO, ["--repo", repo, "--data", data, "--approve", "--json"], { env: env() });
    expectSentence(ended, words);
    expect(ended).toMatchObject({ code: 1, stdout: "" });
    expect(filedIn(data)).toEqual([]);
  });

  it.each(cases.slice(0, 4))("of npm start: $what", async ({ env, words }) => {
    const ended = await runProgram(START, [], { env: { DATA_DIR: files.data(), GATEWAY_PORT: "0", APPROVALS_PORT: "0", ...env() } });
    expectSentence(ended, words);
    expect(ended.code).toBe(1);
  });

  it("of toolbus start, and toolbus doctor says the same", async () => {
    const env = { DATA_DIR: files.data(), GATEWAY_PORT: "0", APPROVALS_PORT: "0", LLM_PROVIDER: "anthropic" };
    const start = await runProgram(TOOLBUS, ["start"], { env });
    expectSentence(start, /"anthropic" needs a key: set ANTHROPIC_API_KEY/);
    expect(start.code).toBe(1);
    const doctor = await runProgram(TOOLBUS, ["doctor"], { env });
    expect(doctor.stdout).toMatch(/^warn +model settings +It cannot be used as it is set\.\n +→ The provider "anthropic" needs a key/m);
  });
});

describe("a wrong configuration that only the provider detects ends the run with one sentence", () => {
  let server: ModelServer;
  beforeAll(async () => void (server = await startModelServer("openai")));
  afterAll(() => server.close());

  const run = async (env: Record<string, string>): Promise<{ readonly ended: Ended; readonly document: Document }> => {
    const ended = await runProgram(DEMO, ["--repo", repo, "--data", files.data(), "--approve", "--json"], { env });
    expect({ code: ended.code, stderr: stackLines(ended.stderr) }).toEqual({ code: 1, stderr: [] });
    expect(ended.stdout + ended.stderr).not.toContain(SECRET);
    return { ended, document: JSON.parse(ended.stdout) as Document };
  };
  const openai = (env: Record<string, string>) => ({ LLM_PROVIDER: "openai", LLM_BASE_URL: server.url, LLM_MODEL: server.model, ...env });

  it("a wrong key", async () => {
    const { document } = await run(openai({ OPENAI_API_KEY: SECRET }));
    expect(document).toMatchObject({
      status: "failed",
      error: { code: "authentication_failed", message: expect.stringContaining("OPENAI_API_KEY") },
    });
  });

  it("a model that does not exist", async () => {
    const { document } = await run(openai({ OPENAI_API_KEY: server.key, LLM_MODEL: "gpt-nonsense" }));
    expect(document).toMatchObject({ status: "failed", error: { message: expect.stringMatching(/gpt-nonsense.*LLM_MODEL/s) } });
  });

  it("an Ollama that does not run", async () => {
    const port = await freePort();
    const { document } = await run({ LLM_PROVIDER: "ollama", LLM_MODEL: "qwen3", OLLAMA_HOST: `127.0.0.1:${port}` });
    expect(document).toMatchObject({
      status: "failed",
      error: { code: "network_failed", message: expect.stringMatching(/ollama serve.*OLLAMA_HOST/s) },
    });
    expect(document.error?.message).not.toContain("\n");
  });

  it("a command that fails", async () => {
    const { document } = await run({
      LLM_CLI_COMMAND: JSON.stringify([process.execPath, "-e", `console.error("no licence"); process.exit(4)`]),
    });
    expect(document).toMatchObject({
      status: "failed",
      error: { code: "provider_failed", message: expect.stringMatching(/ended with exit code 4 \(it wrote: no licence\)/) },
    });
  });
});

describe("a correct configuration", () => {
  it.each(["LLM_BASE_URL", "OPENAI_BASE_URL"])(
    "is a key, and the demo names the model that it asks, and where %s sends it",
    async (variable) => {
      await using server = await investigator();
      const data = files.data();
      const env = { LLM_PROVIDER: "openai", [variable]: server.url, LLM_MODEL: server.model, OPENAI_API_KEY: server.key };
      const { code, stdout } = await runProgram(DEMO, ["--repo", repo, "--from", "v1", "--to", "v2", "--data", data, "--approve"], { env });
      const says = `Model: ${server.model} of openai at ${new URL(server.url).origin}, as ${variable} says.`;
      expect({ code, said: stdout }).toMatchObject({ code: 0, said: expect.stringContaining(says) });
      expect(stdout).not.toContain(server.key);
      expect(filedIn(data)).toMatchObject([{ release_id: "v2" }]);
    },
  );

  it("is a command that speaks JSON, which gets the tools and files the report with a person's consent", async () => {
    const data = files.data();
    const command = files.file("model.mjs", `#!${process.execPath}\n${INVESTIGATOR}`);
    chmodSync(command, 0o755);
    const env = { LLM_CLI_COMMAND: command };
    const ended = await runProgram(DEMO, ["--repo", repo, "--from", "v1", "--to", "v2", "--data", data, "--approve", "--json"], { env });
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(ended.stdout)).toMatchObject({
      status: "completed",
      severity: "low",
      filing: { status: "filed" },
      usage: { inputTokens: 20 },
    });
    expect(filedIn(data)).toMatchObject([{ release_id: "v2", severity: "low", findings: ["It was read."] }]);
  });

  it("is empty, and the demo says how to set a model", async () => {
    const { code, stdout } = await runProgram(DEMO, ["--repo", repo, "--data", files.data(), "--approve"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Model: offline rules, no key needed; for a language model set ANTHROPIC_API_KEY, .*docs\/models\.md/m);
  });
});

/**
 * A model that is a command. It files a report about the results that it has read. Then it confirms the report, with text and a code fence around its
 * JSON.
 */
const INVESTIGATOR = `
import { text } from "node:stream/consumers";
const { messages, tools } = JSON.parse(await text(process.stdin));
const filed = messages.findLast((message) => message.role === "tool" && message.name === "file_risk_report");
const file = tools.find((tool) => tool.name === "file_risk_report");
const answer = filed || !file
  ? { text: "The report is filed.", calls: [] }
  : { text: "I file it.", calls: [{ name: file.name, arguments: { release_id: "v2", severity: "low", findings: ["It was read."] } }] };
console.log("Thinking...\\n\`\`\`json\\n" + JSON.stringify({ ...answer, usage: { inputTokens: 10, outputTokens: 5 } }, null, 1) + "\\n\`\`\`");
`;

async function investigator(): Promise<ModelServer & AsyncDisposable> {
  const server = await startModelServer("openai", { brain: investigationBrain() });
  return { ...server, [Symbol.asyncDispose]: () => server.close() };
}

/** Returns a port that was free a moment ago. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" ? (address?.port ?? 0) : 0;
}
