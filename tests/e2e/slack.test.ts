import { createHmac, randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { type ReleaseApi, startReleaseApi } from "@toolbus/example-release-api";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type Addresses, type Child, startChild } from "./testing/child.ts";
import { startRun } from "./testing/http-client.ts";
import { someRelease } from "./testing/releases.ts";

const SECRET = "0123456789abcdef0123456789abcdef";
const TOKEN = "xoxb-the-token-of-the-bot";

interface Call {
  readonly method: string;
  readonly body: { readonly ts?: string; readonly blocks?: readonly object[] };
}

describe("a write that people are told about and decide in Slack", () => {
  let folder = "";
  let api: ReleaseApi;
  let latest: Child | null = null;
  const calls: Call[] = [];
  let came = Promise.withResolvers<void>();
  const slack = createServer((request, reply) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      calls.push({ method: request.url?.slice(1) ?? "", body: JSON.parse(Buffer.concat(chunks).toString()) as Call["body"] });
      const answer = { ok: true, channel: "C1", ts: `17.${of("chat.postMessage").length}` };
      reply.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
      came.resolve();
      came = Promise.withResolvers();
    });
  });

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "toolbus-slack-"));
    slack.listen(0, "127.0.0.1");
    await once(slack, "listening");
    const releases = new Map([["r1", someRelease("r1")]]);
    api = await startReleaseApi({ directory: path.join(folder, "api"), releases, clock: () => Date.now(), newId: randomUUID });
    const targets = [{ name: "chat", kind: "slack", workspace: "T1", token: TOKEN, channel: "C1", apiUrl: `http://${host()}/` }];
    const people = [{ workspace: "T1", signingSecrets: [SECRET], tenant: "local", tiers: ["high"], approvers: { U1: "dana" } }];
    await writeFile(path.join(folder, "targets.json"), JSON.stringify({ targets }), { mode: 0o600 });
    await writeFile(path.join(folder, "hooks.json"), JSON.stringify({ slack: people }), { mode: 0o600 });
  });
  afterAll(async () => {
    latest?.kill("SIGKILL");
    await latest?.exited;
    await api.stop();
    slack.closeAllConnections();
    slack.close();
    await rm(folder, { recursive: true, force: true });
  });

  it("shows its outcome although every process is killed before its message was recorded, and right after it was decided", async () => {
    const first = await start("slack", "before");
    const runId = await startRun(first.addresses, "r1");
    await first.child.exited;
    expect([first.child.hit() !== null, of("chat.postMessage").length]).toEqual([true, 1]);

    const second = await start("decide", "after");
    await called("chat.postMessage", 2);
    const approval = `ap_${runId}.1.0`;
    await vi.waitUntil(() => /"approval\.held".*was delivered/.test(second.child.stderr()), { timeout: 30_000, interval: 10 });
    expect(JSON.stringify(of("chat.postMessage")[1])).toContain(`"value":"${approval}"`);
    await expect(submit(second.addresses, approval)).rejects.toThrow("fetch failed");
    await second.child.exited;
    expect(of("chat.update")).toEqual([]);

    const third = await start(null, "after");
    await called("chat.update", 1);
    expect(of("chat.update")[0]).toMatchObject({ ts: "17.2" });
    expect(JSON.stringify(of("chat.update")[0])).not.toContain('"value":');
    expect(JSON.stringify(of("chat.update")[0])).toContain("via slack:T1");
    expect(await submit(third.addresses, approval)).toContain("You approved this.");
    await vi.waitUntil(() => api.reports().length === 1, { timeout: 30_000, interval: 10 });
    for (const child of [first, second, third]) for (const secret of [TOKEN, SECRET]) expect(child.child.stderr()).not.toContain(secret);
  });

  function of(method: string): readonly Call["body"][] {
    return calls.filter((call) => call.method === method).map(({ body }) => body);
  }

  /** Waits until Slack was called this often. */
  async function called(method: string, count: number): Promise<void> {
    const late = AbortSignal.timeout(60_000);
    const deadline = once(late, "abort").then(() => {
      throw new Error(`Slack was not called for ${method} within a minute.`);
    });
    // When the call has arrived, nothing awaits `deadline` any more, so its rejection must be handled here.
    deadline.catch(() => undefined);
    for (;;) {
      const next = came.promise;
      if (of(method).length >= count) return;
      await Promise.race([next, deadline]);
    }
  }

  async function submit({ approvals }: Addresses, approval: string): Promise<string> {
    const about = JSON.stringify({ approval, decision: "approve", channel: "C1", ts: "17.2" });
    const view = { callback_id: "toolbus:decide", private_metadata: about, state: { values: {} } };
    const payload = JSON.stringify({ type: "view_submission", team: { id: "T1" }, user: { id: "U1" }, view });
    const body = new URLSearchParams({ payload }).toString();
    const seconds = String(Math.floor(new Date().getTime() / 1000));
    const response = await fetch(`${approvals}/v1/slack/interactions`, {
      method: "POST",
      body,
      headers: {
        "content-type": "application/x-www-form-urlencoded",
        "x-slack-request-timestamp": seconds,
        "x-slack-signature": `v0=${createHmac("sha256", SECRET).update(`v0:${seconds}:${body}`).digest("hex")}`,
      },
      signal: AbortSignal.timeout(20_000),
    });
    return response.text();
  }

  /** Starts a process with every service. `point` is the beginning of a commit's op. The process is killed before or after it makes such a commit. */
  async function start(point: string | null, when: "before" | "after"): Promise<{ readonly child: Child; readonly addresses: Addresses }> {
    const child = startChild("kill-child.ts", {
      DATA_DIR: path.join(folder, "data"),
      RELEASE_API_URL: api.url,
      GATEWAY_PORT: "0",
      APPROVALS_PORT: "0",
      LOG_LEVEL: "info",
      WEBHOOKS_FILE: path.join(folder, "targets.json"),
      WEBHOOK_ALLOWED_HOSTS: host(),
      DECISION_HOOKS_FILE: path.join(folder, "hooks.json"),
      KILL_PLAN: JSON.stringify(point === null ? null : { name: point, point, when }),
    });
    latest = child;
    const addresses = await child.ready;
    if (!addresses) throw new Error(`It did not start: ${child.stderr()}`);
    return { child, addresses };
  }

  function host(): string {
    return `127.0.0.1:${(slack.address() as AddressInfo).port}`;
  }
});
