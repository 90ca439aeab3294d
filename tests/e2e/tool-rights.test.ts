import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { localKeys } from "@toolbus/all-in-one";
import { type ApiKey, parseApiKeys, type RunEvent, type ToolList, topics } from "@toolbus/contracts";
import type { ReleaseApi } from "@toolbus/example-release-api";
import { fileKeySet, generateSigningKey, signerOf } from "@toolbus/grants";
import type { Asked } from "@toolbus/model-servers";
import type { Infrastructure } from "@toolbus/runtime";
import { silentLog } from "@toolbus/telemetry";
import { defineTool, startWorker, toolset, type Worker } from "@toolbus/tool-kit";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { TOOLBUS } from "./testing/cli-under-test.ts";
import { call, follow } from "./testing/http-client.ts";
import { type ModelSystem, modelSystem, oneRelease, RELEASE } from "./testing/model-system.ts";
import { VENDORS } from "./testing/model-vendors.ts";
import { runProgram } from "./testing/program.ts";
import { scratch, type Scratch } from "./testing/scratch.ts";

/** Callers of the gateway, by their roles. */
const CALLERS = {
  "a clerk without the scope": { scopes: ["tools:read"] },
  "a partner with a key for the releases": { scopes: ["payroll"], tools: ["release"] },
  "a partner with a key for one tool of the releases": { scopes: ["payroll"], tools: ["release/get_release_summary"] },
  "an accountant": { scopes: ["payroll"] },
  "an accountant with a key for the payroll": { scopes: ["payroll"], tools: ["payroll"] },
} as const satisfies Record<string, Pick<ApiKey, "scopes" | "tools">>;
type Caller = keyof typeof CALLERS;

const SALARY = "read_salary {}";
const RAISE = "raise_salary {}";
const SUMMARY = `get_release_summary {"release_id": "${RELEASE}"}`;

let files: Scratch;
let api: ReleaseApi;
let started: ModelSystem;
let worker: Worker;
/** Every message that the services have sent since the test began. */
let sent: string[] = [];
/** The calls that the worker has executed since the test began. */
let done: string[] = [];
/** The tools that each request offered to the model. */
let offered: (readonly string[])[] = [];

beforeAll(async () => {
  files = scratch();
  api = await oneRelease(files.at("release-api"));
  const directory = files.at("data");
  let infrastructure: Infrastructure | null = null;
  const wrap = (built: Infrastructure): Infrastructure => {
    infrastructure = built;
    return { ...built, bus: { ...built.bus, publish: (message) => (sent.push(message.topic), built.bus.publish(message)) } };
  };
  const vendor = VENDORS.find(({ name }) => name === "compatible");
  if (!vendor) throw new Error("There is no compatible vendor.");
  started = await modelSystem(vendor, { directory, api, env: { GATEWAY_API_KEYS_FILE: await keysFile(directory) }, wrap });
  started.server.think(obedient);
  if (!infrastructure) throw new Error("The system was not wrapped.");
  worker = await payroll(infrastructure, files.at("data", "keys", "jwks.json"));
});
afterAll(async () => {
  await worker.stop();
  await started.stop();
  await api.stop();
  files.remove();
});
beforeEach(() => {
  sent = [];
  done = [];
  offered = [];
});

describe("a tool that a caller may not use", () => {
  it.each<[Caller, string]>([
    ["a clerk without the scope", "lacks the scope"],
    ["a partner with a key for the releases", "key may not use"],
  ])("is not offered to %s, and a model that still calls it is refused and reaches no worker", async (caller, words) => {
    for (const text of [SALARY, RAISE]) {
      const { result } = await asked(caller, text);
      expect(result).toMatchObject({ status: "denied", content: expect.stringContaining(words) });
      expect(JSON.parse(result.content)).toMatchObject({ error: "policy_denied", class: "ToolPolicyError" });
    }
    expect(offered.length).toBeGreaterThan(1);
    expect(offered.flat()).not.toContain("read_salary");
    expect(offered.flat()).not.toContain("raise_salary");
    expect(sent.filter((topic) => topic === topics.invoke("payroll") || topic === topics.approvalRequest)).toEqual([]);
    expect(done).toEqual([]);
  });

  it("leaves the other tools of its toolset and of the caller's key unaffected", async () => {
    for (const caller of ["a clerk without the scope", "a partner with a key for one tool of the releases"] as const)
      expect((await asked(caller, SUMMARY)).result).toMatchObject({ status: "ok" });
    expect(offered.at(-1)).toEqual(expect.arrayContaining(["get_release_summary"]));
    expect(offered.at(-1)).not.toContain("file_risk_report");
  });

  it.each<Caller>(["an accountant", "an accountant with a key for the payroll"])("is offered to %s, and works", async (caller) => {
    expect((await asked(caller, SALARY)).result).toMatchObject({ status: "ok" });
    expect(offered[0]).toContain("read_salary");
    expect(done).toEqual(["read_salary"]);
  });

  it("is shown to its caller with the reason", async () => {
    const why = async (caller: Caller) => {
      const { body } = await call(`${started.system.gatewayUrl}/v1/tools`, keyOf(caller));
      return (body as ToolList).tools.find(({ name }) => name === "read_salary")?.forbidden;
    };
    expect(await why("a clerk without the scope")).toContain('lacks the scope "payroll"');
    expect(await why("a partner with a key for the releases")).toContain('may not use "read_salary" of the toolset "payroll"');
    expect(await why("an accountant")).toBeUndefined();
  });

  it("is marked on the command line, and a call of it is refused with the reason", async () => {
    const env = { TOOLBUS_URL: started.system.gatewayUrl, TOOLBUS_KEY: keyOf("a clerk without the scope") };
    const cli = (...args: readonly string[]) => runProgram(TOOLBUS, ["tools", ...args], { env });
    expect((await cli("list")).stdout).toMatch(/^read_salary .* ready, not for this key /m);
    expect((await cli("show", "read_salary")).stdout).toMatch(/^not for +this key: The requester lacks the scope "payroll"/m);
    const called = await cli("call", "read_salary");
    expect(called).toMatchObject({ code: 4, stdout: "", stderr: expect.stringContaining("Use a key that may.") });
    expect(sent).toEqual([]);
  });
});

/** Sends the message as this caller and returns the outcome of the model's call. */
async function asked(caller: Caller, text: string): Promise<{ readonly result: Extract<RunEvent, { type: "call.resolved" }> }> {
  const gateway = started.system.gatewayUrl;
  const user = keyOf(caller);
  const { conversationId } = (await call(`${gateway}/v1/conversations`, user, {})).body as { readonly conversationId: string };
  const { runId } = (await call(`${gateway}/v1/conversations/${conversationId}/messages`, user, { text })).body as {
    readonly runId: string;
  };
  const events = await follow({ gateway, user }, runId);
  const [result] = events.flatMap((event) => (event.type === "call.resolved" ? [event] : []));
  if (!result) throw new Error(`No call was made: ${JSON.stringify(events.at(-1))}`);
  return { result };
}

/** Calls the requested tool, even if the request does not offer it. */
function obedient({ messages, tools }: Asked) {
  offered.push(tools.map(({ name }) => name));
  const last = messages.at(-1);
  if (last?.role !== "user") return { text: "Done." };
  const [name = "", ...rest] = last.text.split(" ");
  return { calls: [{ name, arguments: JSON.parse(rest.join(" ")) }] };
}

/** Starts a worker of a toolset whose read and whose write require the scope `payroll`. */
async function payroll({ bus, state, clock, monotonic, random }: Infrastructure, jwksFile: string): Promise<Worker> {
  const about = {
    description: "For a test of rights. Example: call it with nothing. It gives an object. Not for any other use.",
    parameters: { type: "object", properties: {}, additionalProperties: false },
    scopes: ["payroll"],
  };
  const read = defineTool({ ...about, name: "read_salary", kind: "read", run: () => ({ times: done.push("read_salary") }) });
  const raise = defineTool({
    ...about,
    name: "raise_salary",
    kind: "write",
    effect: "Raises a salary.",
    idempotency: { mode: "none" },
    prepare: () => ({}),
    run: () => ({ times: done.push("raise_salary") }),
  });
  return startWorker({
    toolset: toolset({ name: "payroll", tools: [read, raise] }),
    bus,
    state,
    keys: fileKeySet({ file: jwksFile, clock, onProblem: () => undefined }),
    // This key is in no file of trusted keys. The agent takes the public key from the tool's pin.
    signer: await signerOf(await generateSigningKey()),
    log: silentLog,
    clock,
    monotonic,
    random,
  });
}

const keyOf = (caller: Caller): string => `tb_user_${createHash("sha256").update(`of ${caller}`).digest("hex")}`;

/** Writes the gateway's file of keys, with one key for each caller. */
async function keysFile(directory: string): Promise<string> {
  const { gatewayKeysFile } = await localKeys(`${directory}/keys`);
  const known = parseApiKeys(await readFile(gatewayKeysFile, "utf8"));
  if (!known.ok) throw new Error("The file of keys cannot be read.");
  const own = Object.entries(CALLERS).map(([name, rights], n) => ({
    id: `caller-${n}`,
    sha256: createHash("sha256")
      .update(keyOf(name as Caller))
      .digest("hex"),
    principal: name,
    tenant: "local",
    roles: ["user"],
    ...rights,
  }));
  return files.file("gateway-keys.json", JSON.stringify([...known.value, ...own]));
}
