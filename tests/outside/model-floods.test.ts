import { createHash } from "node:crypto";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call, follow } from "../e2e/testing/http-client.ts";
import { residentMiB, watchMemory } from "./memory-of.ts";
import { type Program, START, startProgram } from "../e2e/testing/program.ts";
import { scratch, type Scratch } from "../e2e/testing/scratch.ts";

// The most memory that a flood may cost. It consists of the part of the answer that is read, memory that V8 has not collected yet, and noise.
const MOST_MIB = 160;
const MOST_HEALTH_MS = 1000;

// All services run in one process, as with `npm start`. The model runs in another one.
describe.skipIf(process.platform !== "linux")("a model that floods (memory is read from /proc, so on Linux only)", () => {
  let files: Scratch;
  let model: Program;
  let program: Program;
  let gateway: string;
  let before: number;
  beforeAll(async () => {
    files = scratch();
    model = startProgram(path.join(import.meta.dirname, "flooding-model.ts"), []);
    const [LLM_BASE_URL = ""] = await model.says(/http\S+/);
    const env = {
      DATA_DIR: files.data(),
      GATEWAY_PORT: "0",
      APPROVALS_PORT: "0",
      RELEASE_API_URL: "http://127.0.0.1:9",
      GATEWAY_API_KEYS_FILE: files.file("keys.json", JSON.stringify([keyOf("una"), keyOf("otto")])),
      LLM_BASE_URL,
      LLM_MODEL: "m",
      LLM_API_KEY: "k",
      LOG_LEVEL: "error",
    };
    program = startProgram(START, [], { env });
    gateway = (await program.says(/^gateway +(\S+)$/m))[1] ?? "";
    // The first run compiles and loads code, which must not count as growth.
    await said("otto", "hello");
    before = residentMiB(program.pid);
  });
  afterAll(async () => {
    await program[Symbol.asyncDispose]();
    await model[Symbol.asyncDispose]();
    files.remove();
  });

  it.each([
    ["an endless stream", "endless_stream", /is over 33554432 bytes.*MODEL_ANSWER_MAX_BYTES/],
    ["an endless line", "endless_line", /has an event of more than 4194304 bytes.*MODEL_EVENT_MAX_BYTES/],
    ["an argument of 50 MB", `large_argument ${50 * 1024 * 1024}`, /more than 1048576 bytes of arguments.*MODEL_ARGUMENTS_MAX_BYTES/],
  ])("with %s fails its run with a reason, and affects neither the process nor other users' runs", async (what, manner, words) => {
    const memory = watchMemory(program.pid);
    const flooded = said("una", manner);
    const health = healthUntil(flooded);
    expect((await said("otto", "hello")).at(-1)).toMatchObject({ type: "run.completed", text: "All is well." });
    const events = await flooded;
    const peak = memory.end();
    const slowest = await health;
    process.stdout.write(`${what}: ${before} MiB before all floods, ${peak} MiB at the most; /healthz within ${slowest} ms\n`);
    expect(events.map(({ type }) => type)).not.toContain("model.retry");
    expect(events.at(-1)).toMatchObject({ type: "run.failed", code: "answer_too_large", message: expect.stringMatching(words) as string });
    expect(peak - before).toBeLessThan(MOST_MIB);
    expect(slowest).toBeLessThan(MOST_HEALTH_MS);
    expect(program.stderr()).not.toMatch(/unhandled|uncaught|heap/i);
  });

  it("is distinguished from a slow one", async () => {
    expect((await said("una", "slowly 1000 200 5")).at(-1)).toMatchObject({ type: "run.completed", text: "0 1 2 3 4 " });
  });

  /** Sends this text in a new conversation and returns all events of its run. */
  async function said(user: string, text: string) {
    const { body } = await call(`${gateway}/v1/conversations`, user, {});
    const { conversationId } = body as { readonly conversationId: string };
    const sent = await call(`${gateway}/v1/conversations/${conversationId}/messages`, user, { text });
    return follow({ gateway, user }, (sent.body as { readonly runId: string }).runId);
  }

  /** Repeatedly checks that the process is alive, and returns the longest wait in milliseconds. */
  async function healthUntil(over: Promise<unknown>): Promise<number> {
    let going = true;
    void over.then(
      () => (going = false),
      () => (going = false),
    );
    let slowest = 0;
    while (going) {
      const began = performance.now();
      const { status } = await fetch(`${gateway}/healthz`);
      expect(status).toBe(200);
      slowest = Math.max(slowest, Math.round(performance.now() - began));
    }
    return slowest;
  }
});

/** Returns the entry of a user in the file of keys. The user's key is their name. */
function keyOf(name: string) {
  const sha256 = createHash("sha256").update(name).digest("hex");
  return { id: name, sha256, principal: name, tenant: "acme", roles: ["user"], scopes: ["tools:read"] };
}
