import { openSigningKey } from "@toolbus/grants";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, describe, expect, it } from "vitest";

const ENTRY = new URL("./index.ts", import.meta.url).href;
const BROKER = "amqp://broker.example";
const STORE = "redis://store.example";
const folder = await mkdtemp(path.join(tmpdir(), "toolbus-worker-"));
afterAll(() => rm(folder, { recursive: true, force: true }));
const FOUND = { busUrl: BROKER, stateUrl: STORE, receiptKeyFile: path.join(folder, "receipts.jwk") };
await openSigningKey({ file: FOUND.receiptKeyFile });

/** Runs a worker with one write in its own process, as an author writes it. Resolves when the process has ended. */
async function worker(
  options: object,
  serve = "runToolset",
  tools = "[pay]",
): Promise<{ readonly code: unknown; readonly stdout: string; readonly stderr: string }> {
  const source = `
    import { defineTool, ${serve}, toolset } from ${JSON.stringify(ENTRY)};
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
    const worker = await ${serve}(toolset({ name: "bills", tools: ${tools} }), ${JSON.stringify({ jwksFile: "none.json", logLevel: "silent", ...options })});
    console.log("The toolset bills is served.");
    await worker.stop();`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", source], { stdio: ["ignore", "pipe", "pipe"] });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { code, stdout, stderr };
}

describe("the process of a tool's author", () => {
  it.each([
    {
      lacks: "a receipt key",
      options: { busUrl: BROKER, stateUrl: STORE },
      stderr:
        'The toolset "bills" has the write "pay" and no receipt key: pass "receiptKeyFile". "toolbus keys --toolsets bills --give worker.bills=FOLDER" copies worker.bills-signing.jwk into a folder for all its replicas.\n',
    },
    {
      lacks: "the file of its receipt key",
      options: { busUrl: BROKER, stateUrl: STORE, receiptKeyFile: "/nowhere/receipts.jwk" },
      stderr:
        'There is no receipt key /nowhere/receipts.jwk for the toolset "bills". "toolbus keys --toolsets bills --give worker.bills=FOLDER" copies worker.bills-signing.jwk into a folder for all its replicas.\n',
    },
    {
      lacks: "a readable flag",
      options: { ...FOUND, environment: "a b" },
      stderr: '"a b" is not a name of an environment: use letters, digits, ".", "-" and "_".\n',
    },
    {
      lacks: "a readable limit",
      options: { ...FOUND, limits: "pay.callsPerMinute=few" },
      stderr:
        '"pay.callsPerMinute=few" is not a limit: write limits as get_order.callsPerMinute=60,*.argumentBytes=4096,shop.concurrent=4.\n',
    },
    {
      lacks: "a known store",
      options: { ...FOUND, stateUrl: "postgres://store.example" },
      stderr: 'The state store "postgres:…" is unknown: use memory:, sqlite:DIRECTORY or redis://HOST:PORT.\n',
    },
    {
      lacks: "the keys of approvals",
      options: { ...FOUND, jwksFile: "" },
      stderr:
        'The toolset "bills" cannot be served, because it has no public keys of approvals, which verify grants. Pass JWKS_FILE as "jwksFile", or JWKS_URL as "jwksUrl".\n',
    },
    {
      lacks: "an address of the keys of approvals",
      options: { ...FOUND, jwksFile: undefined, jwksUrl: "nope" },
      stderr:
        "The address of a key set must be an http or https URL without a login, such as https://approvals.example.com/.well-known/jwks.json.\n",
    },
    {
      lacks: "a possible limit of the clock",
      options: { ...FOUND, clockSkewWarnMs: 1 },
      stderr: 'The toolset "bills" cannot be served, because "clockSkewWarnMs" must be from 100 to 3600000 milliseconds, not 1.\n',
    },
    {
      lacks: "a known option",
      options: { ...FOUND, busUrl: undefined, busURL: BROKER },
      stderr: 'The toolset "bills" cannot be served, because its call of runToolset has the unknown field "busURL": use "busUrl".\n',
    },
    ...["", undefined].flatMap((none) => [
      {
        lacks: `the address of a bus (${JSON.stringify(none)})`,
        options: { ...FOUND, busUrl: none },
        stderr:
          'The toolset "bills" cannot be served, because it has no address of a bus. Set BUS_URL to the bus of the other services, such as nats://127.0.0.1:4222, and pass it as "busUrl".\n',
      },
      {
        lacks: `the address of a store (${JSON.stringify(none)})`,
        options: { ...FOUND, stateUrl: none },
        stderr:
          'The toolset "bills" cannot be served, because it has no address of a store. Set STATE_URL to the store of the other services, such as redis://127.0.0.1:6379, and pass it as "stateUrl".\n',
      },
    ]),
    {
      lacks: "a bus of the other services",
      options: { busUrl: "memory:", stateUrl: STORE },
      stderr:
        'The toolset "bills" has a process of its own, and no other process reaches the bus "memory:". Pass the BUS_URL of the other services as "busUrl", such as nats://127.0.0.1:4222.\n',
    },
    ...["memory:", "sqlite:/data"].map((stateUrl) => ({
      lacks: `a store of the other services, with ${stateUrl}`,
      options: { busUrl: BROKER, stateUrl },
      stderr: `The toolset "bills" has a process of its own, and no other process can use its store "${stateUrl.replace("/data", "…")}". Pass the STATE_URL of the other services as "stateUrl", such as redis://127.0.0.1:6379.\n`,
    })),
  ])("that lacks $lacks says so in one sentence and exits with 1", async ({ options, stderr }) => {
    expect(await worker(options)).toEqual({ code: 1, stdout: "", stderr });
  });

  it("that lacks a tool says so in one sentence and exits with 1", async () => {
    const stderr = 'The toolset "bills" has no tools: pass at least one in "tools".\n';
    expect(await worker(FOUND, "runToolset", "[]")).toEqual({ code: 1, stdout: "", stderr });
  });

  it("that also does other work may have a bus and a store of its own, and its log names them", async () => {
    const { code, stdout, stderr } = await worker({ busUrl: "memory:", stateUrl: "memory:", logLevel: "info" }, "serveToolset");
    expect([code, stdout.includes("The toolset bills is served.")]).toEqual([0, true]);
    expect(`${stdout}${stderr}`).toMatch(/"bus":"memory:","store":"memory:".*"a toolset is served"/);
  });

  it("that has a fault of its own shows the stack", async () => {
    const { code, stderr } = await worker({ ...FOUND, flags: 1 });
    expect(code).toBe(1);
    expect(stderr).toMatch(/TypeError: .*\n +at /);
  });
});
