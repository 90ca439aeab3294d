import { type AllInOne, startAllInOne } from "@toolbus/all-in-one";
import { replayRecord } from "@toolbus/all-in-one/replay";
import type { Wait } from "@toolbus/contracts";
import { fileKeySet, generateSigningKey, type Signer, signerOf } from "@toolbus/grants";
import type { Infrastructure } from "@toolbus/runtime";
import { silentLog } from "@toolbus/telemetry";
import { defineTool, startWorker, toolset, type Worker } from "@toolbus/tool-kit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { approve, call, follow, heldApproval } from "./testing/http-client.ts";
import { replayed } from "./testing/replayed.ts";
import { scratch, type Scratch } from "./testing/scratch.ts";

describe("a write whose tool was changed under the same version while it waited for people", () => {
  let files: Scratch;
  let system: AllInOne;
  let infrastructure: Infrastructure | null = null;
  let signer: Signer;
  let worker: Worker | null = null;
  let paid = 0;
  const requester = () => ({ gateway: system.gatewayUrl, user: system.keys.user });

  beforeAll(async () => {
    files = scratch();
    signer = await signerOf(await generateSigningKey());
    system = await startAllInOne({
      directory: files.at("data"),
      env: { GATEWAY_PORT: "0", APPROVALS_PORT: "0", LOG_LEVEL: "silent", REDISPATCH_MS: "1500" },
      wrap: (built) => (infrastructure = built),
    });
  });
  afterAll(async () => {
    await worker?.stop();
    await system?.stop();
    files?.remove();
  });

  it("ends as changed with nothing done, and the run says so and ends", async () => {
    const { runId, approvalId } = await asked();
    await serve("Pays out money.");
    await approved(approvalId);
    await expect.poll(() => waitOf(runId), { timeout: 10_000 }).toMatch(/^The definition of pay_out was changed under version 1 after/);
    const events = await follow(requester(), runId);
    expect(events.filter(({ type }) => type === "call.resolved")).toMatchObject([
      { tool: "pay_out", status: "not_executed", content: expect.stringContaining('{"error":"tool_changed"') as string },
    ]);
    expect(paid).toBe(0);
    const record = await replayed(system.gatewayUrl, system.keys.operator, runId);
    // The replaying agent ends the call itself, and does not take the end from the log.
    expect(await replayRecord(record)).toMatchObject({ difference: null, derived: 1, taken: 0 });
  });

  it("is done if a worker has the approved definition again before the last try", async () => {
    const { runId, approvalId } = await asked();
    await serve("Pays out money.");
    await approved(approvalId);
    await expect.poll(() => waitOf(runId), { timeout: 10_000 }).toMatch(/^The definition of pay_out was changed/);
    await serve("Pays money.");
    const events = await follow(requester(), runId);
    expect(events.filter(({ type }) => type === "call.resolved")).toMatchObject([{ tool: "pay_out", status: "ok" }]);
    expect(paid).toBe(1);
    await replayed(system.gatewayUrl, system.keys.operator, runId);
  });

  /** Lets a run ask for the write. Returns when people have been asked. */
  async function asked(): Promise<{ readonly runId: string; readonly approvalId: string }> {
    await serve("Pays money.");
    const { body } = await call(`${system.gatewayUrl}/v1/conversations`, system.keys.user, { profile: "direct" });
    const { conversationId } = body as { readonly conversationId: string };
    const url = `${system.gatewayUrl}/v1/conversations/${conversationId}/messages`;
    const { runId } = (await call(url, system.keys.user, { text: "pay_out {}" })).body as { readonly runId: string };
    return { runId, approvalId: await heldApproval(requester(), runId) };
  }

  const approved = (approvalId: string) => approve({ approvals: system.approvalsUrl, approver: system.keys.approver }, approvalId);

  async function waitOf(runId: string): Promise<string | undefined> {
    const { body } = await call(`${system.gatewayUrl}/v1/runs/${runId}`, system.keys.user);
    return (body as { readonly waits?: readonly Wait[] }).waits?.[0]?.says;
  }

  /** Stops the worker, and starts it with this description of its tool. */
  async function serve(description: string): Promise<void> {
    if (!infrastructure) throw new Error("The system has not started.");
    await worker?.stop();
    const { bus, state, clock, monotonic, random } = infrastructure;
    const payOut = defineTool({
      name: "pay_out",
      version: "1",
      kind: "write",
      description,
      parameters: { type: "object", properties: {}, additionalProperties: false },
      effect: "Pays.",
      idempotency: { mode: "none" },
      prepare: () => ({}),
      run: () => ({ times: ++paid }),
    });
    worker = await startWorker({
      toolset: toolset({ name: "payouts", tools: [payOut] }),
      bus,
      state,
      keys: fileKeySet({ file: files.at("data", "keys", "jwks.json"), clock, onProblem: () => undefined }),
      signer,
      log: silentLog,
      clock,
      monotonic,
      random,
    });
  }
});
