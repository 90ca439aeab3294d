import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";

const ENTRY = new URL("./index.ts", import.meta.url).href;
const BROKER = "amqp://broker.example";

/** Runs a worker with one write in its own process, as an author writes it. Resolves when the process has ended. */
async function worker(options: object): Promise<{ readonly code: unknown; readonly stdout: string; readonly stderr: string }> {
  const source = `
    import { defineTool, runToolset, toolset } from ${JSON.stringify(ENTRY)};
    const pay = defineTool({
      name: "pay",
      description: "Pays a bill, e.g. B-1. Gives its id. Not for refunds.",
      kind: "write",
      parameters: { type: "object", properties: { bill: { type: "string", maxLength: 9 } }, required: ["bill"], additionalProperties: false },
      risk: { tier: "high" },
      idempotency: { mode: "none" },
      effect: "Pay {bill}.",
      prepare: async (args) => args,
      run: async (args) => args,
    });
    await runToolset(toolset({ name: "bills", tools: [pay] }), ${JSON.stringify({ jwksFile: "none.json", logLevel: "silent", ...options })});
    console.log("The toolset bills is served.");`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", source], { stdio: ["ignore", "pipe", "pipe"] });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { code, stdout, stderr };
}

describe("the process of a tool's author", () => {
  it.each([
    {
      lacks: "a receipt key",
      options: { busUrl: BROKER, stateUrl: "memory:" },
      stderr:
        'The toolset "bills" has the write "pay" and no receipt key: pass "receiptKeyFile". "toolbus keys --toolsets bills --give worker.bills=FOLDER" copies worker.bills-signing.jwk into a folder for all its replicas.\n',
    },
    {
      lacks: "the file of its receipt key",
      options: { busUrl: BROKER, stateUrl: "memory:", receiptKeyFile: "/nowhere/receipts.jwk" },
      stderr:
        'There is no receipt key /nowhere/receipts.jwk for the toolset "bills". "toolbus keys --toolsets bills --give worker.bills=FOLDER" copies worker.bills-signing.jwk into a folder for all its replicas.\n',
    },
    {
      lacks: "a readable flag",
      options: { busUrl: "memory:", stateUrl: "memory:", environment: "a b" },
      stderr: '"a b" is not a name of an environment: use letters, digits, ".", "-" and "_".\n',
    },
    {
      lacks: "a readable limit",
      options: { busUrl: "memory:", stateUrl: "memory:", limits: "pay.callsPerMinute=few" },
      stderr:
        '"pay.callsPerMinute=few" is not a limit: write limits as get_order.callsPerMinute=60,*.argumentBytes=4096,shop.concurrent=4.\n',
    },
    {
      lacks: "a known store",
      options: { busUrl: "memory:", stateUrl: "postgres://store.example" },
      stderr: 'The state store "postgres:…" is unknown: use memory:, sqlite:DIRECTORY or redis://HOST:PORT.\n',
    },
    {
      lacks: "a known bus",
      options: { busUrl: "memory:bus", stateUrl: "memory:" },
      stderr: 'BUS_URL is exactly "memory:" for the bus in this process, with nothing behind it.\n',
    },
  ])("that lacks $lacks says so in one sentence and exits with 1", async ({ options, stderr }) => {
    expect(await worker(options)).toEqual({ code: 1, stdout: "", stderr });
  });

  it("that has a fault of its own shows the stack", async () => {
    const { code, stderr } = await worker({ busUrl: "memory:", stateUrl: "memory:", clockSkewWarnMs: 1 });
    expect(code).toBe(1);
    expect(stderr).toMatch(/TypeError: "clockSkewWarnMs" must be .*\n +at /);
  });
});
