import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { WEBHOOK_EVENTS } from "@toolbus/contracts";
import { type ReleaseApi, startReleaseApi } from "@toolbus/example-release-api";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Addresses, type Child, startChild } from "./testing/child.ts";
import { startRun } from "./testing/http-client.ts";
import { someRelease } from "./testing/releases.ts";

const [OUT = "", IN = ""] = [1, 2].map((n) => `whsec_${Buffer.alloc(32, n).toString("base64")}`);

interface Delivered {
  readonly type: string;
  readonly data: { readonly [name: string]: unknown };
}

describe("a write that another system is notified of and decides", () => {
  let folder = "";
  let api: ReleaseApi;
  let latest: Child | null = null;
  const arrived: { readonly headers: IncomingHttpHeaders; readonly body: string }[] = [];
  let came = Promise.withResolvers<void>();
  const target = createServer((request, reply) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      arrived.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
      reply.writeHead(204).end();
      came.resolve();
      came = Promise.withResolvers();
    });
  });

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "toolbus-webhooks-"));
    target.listen(0, "127.0.0.1");
    await once(target, "listening");
    const releases = new Map([["r1", someRelease("r1")]]);
    api = await startReleaseApi({ directory: path.join(folder, "api"), releases, clock: () => Date.now(), newId: randomUUID });
    const targets = [{ name: "chat", url: `http://${host()}/`, secrets: [OUT], events: WEBHOOK_EVENTS }];
    const sources = [{ name: "chat", secrets: [IN], tenant: "local", tiers: ["high"], approvers: { U1: "dana" } }];
    await writeFile(path.join(folder, "webhooks.json"), JSON.stringify({ targets }), { mode: 0o600 });
    await writeFile(path.join(folder, "hooks.json"), JSON.stringify({ sources }), { mode: 0o600 });
  });
  afterAll(async () => {
    latest?.kill("SIGKILL");
    await latest?.exited;
    await api.stop();
    target.closeAllConnections();
    target.close();
    await rm(folder, { recursive: true, force: true });
  });

  it("completes although every process is killed right after it was held, and right after it was decided", async () => {
    const first = await start("hold");
    const runId = await startRun(first.addresses, "r1");
    await first.child.exited;
    expect([first.child.hit() !== null, arrived.length]).toEqual([true, 0]);

    const second = await start("decide");
    const held = await reported("approval.held");
    const approval = `ap_${runId}.1.0`;
    expect(held.data).toMatchObject({ id: approval, runId, status: "pending", tool: "file_risk_report" });
    const decision = JSON.stringify({ approval, decision: "approve", approver: "U1" });
    await expect(decide(second.addresses, decision)).rejects.toThrow("fetch failed");
    await second.child.exited;

    const third = await start(null);
    expect(await decide(third.addresses, decision)).toMatchObject({ id: approval, decisions: [{ approver: "dana", via: "webhook:chat" }] });
    expect((await reported("approval.ended")).data).toMatchObject({ id: approval, status: "approved" });
    expect((await reported("run.ended")).data).toMatchObject({
      run: { runId, status: "done", writes: { happened: 1 } },
      written: expect.stringMatching(/^1 write happened: file_risk_report \(.+\), approved by dana$/) as string,
      calls: [
        { callId: `${runId}.1.0`, tool: "file_risk_report", kind: "write", outcome: "ok", approvedBy: ["dana"], approvalId: approval },
        { tool: "get_release_summary", kind: "read", outcome: "ok", effect: null },
        { tool: "get_code_changes", kind: "read" },
      ],
    });
    expect(api.reports()).toHaveLength(1);
    expect(third.child.stderr()).not.toContain(OUT.slice(6));
  });

  /** Returns the next webhook of this type, after checking that its signature is valid now. */
  async function reported(type: string): Promise<Delivered> {
    const late = AbortSignal.timeout(60_000);
    const deadline = once(late, "abort").then(() => {
      throw new Error(`No webhook ${type} came within a minute.`);
    });
    // When the webhook has arrived, nothing awaits `deadline` any more, so its rejection must be handled here.
    deadline.catch(() => undefined);
    for (;;) {
      const next = came.promise;
      const found = arrived.findIndex(({ body }) => (JSON.parse(body) as Delivered).type === type);
      if (found >= 0) {
        const [{ headers, body } = { headers: {}, body: "" }] = arrived.splice(found, 1);
        return new Webhook(OUT).verify(body, headers as Record<string, string>) as Delivered;
      }
      await Promise.race([next, deadline]);
    }
  }

  async function decide({ approvals }: Addresses, body: string): Promise<unknown> {
    const at = new Date();
    const response = await fetch(`${approvals}/v1/hooks/chat`, {
      method: "POST",
      body,
      headers: {
        "content-type": "application/json",
        "webhook-id": "decision-1",
        "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
        "webhook-signature": new Webhook(IN).sign("decision-1", at, body),
      },
      signal: AbortSignal.timeout(20_000),
    });
    const answer: unknown = await response.json();
    if (!response.ok) throw new Error(`It answered ${response.status}: ${JSON.stringify(answer)}`);
    return answer;
  }

  /** Starts a process with every service. `point` is the beginning of a commit's op. The process is killed as soon as it has made such a commit. */
  async function start(point: string | null): Promise<{ readonly child: Child; readonly addresses: Addresses }> {
    const child = startChild("kill-child.ts", {
      DATA_DIR: path.join(folder, "data"),
      RELEASE_API_URL: api.url,
      GATEWAY_PORT: "0",
      APPROVALS_PORT: "0",
      LOG_LEVEL: "info",
      WEBHOOKS_FILE: path.join(folder, "webhooks.json"),
      WEBHOOK_ALLOWED_HOSTS: host(),
      DECISION_HOOKS_FILE: path.join(folder, "hooks.json"),
      KILL_PLAN: JSON.stringify(point === null ? null : { name: point, point, when: "after" }),
    });
    latest = child;
    const addresses = await child.ready;
    if (!addresses) throw new Error(`It did not start: ${child.stderr()}`);
    return { child, addresses };
  }

  function host(): string {
    return `127.0.0.1:${(target.address() as AddressInfo).port}`;
  }
});
