import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { jsonlFiles } from "./jsonl-files.ts";
import { type AuditLine, openToolAudit, type ToolCallRecord } from "./tool-audit.ts";

const CALL: ToolCallRecord = {
  runId: "rn_0a_1",
  conversationId: "cv_0a_1",
  callId: "rn_0a_1.1.0",
  round: 1,
  tool: "get_release_summary",
  toolVersion: "1",
  kind: "read",
  status: "ok",
  latencyMs: 12.3,
  argsHash: "sha256-of-the-arguments",
  provider: "offline",
  traceId: "0af7651916cd43dd8448eb211c80319c",
  at: 1_700_000_000_000,
};

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), "toolbus-audit-"));
});
afterEach(() => rmSync(dir, { recursive: true }));

describe("the tool audit", () => {
  it("has one line a call with exactly its fields", async () => {
    const audit = await open();
    audit.append(CALL);
    audit.append({ ...CALL, callId: "rn_0a_1.1.1", status: "denied", traceId: null });
    const lines = await audit.lines();
    expect(lines).toHaveLength(2);
    expect(lines[0]).toEqual({
      request_id: "rn_0a_1",
      conversation_id: "cv_0a_1",
      call_id: "rn_0a_1.1.0",
      round: 1,
      tool_name: "get_release_summary",
      tool_version: "1",
      kind: "read",
      status: "ok",
      latency_ms: 12.3,
      args_hash: expect.stringMatching(/^[0-9a-f]{16}$/),
      provider: "offline",
      trace_id: "0af7651916cd43dd8448eb211c80319c",
      at: "2023-11-14T22:13:20.000Z",
    });
    expect(lines[1]).toMatchObject({ status: "denied", trace_id: null });
  });

  it("shows that arguments are equal, only under this deployment's key", async () => {
    const one = await open();
    one.append(CALL);
    one.append({ ...CALL, callId: "2" });
    one.append({ ...CALL, callId: "3", argsHash: "another" });
    const [a, b, c] = (await one.lines()).map((line) => line.args_hash);
    expect(a).toBe(b);
    expect(a).not.toBe(c);
    rmSync(path.join(dir, "audit.jsonl.key"));
    const other = await open({ newKey: () => "k".repeat(40) });
    other.append(CALL);
    expect((await other.lines()).at(-1)?.args_hash).not.toBe(a);
  });

  it("creates its key once, for its owner only, and leaves nothing else behind", async () => {
    await open();
    const key = path.join(dir, "audit.jsonl.key");
    const made = readFileSync(key, "utf8");
    expect(statSync(key).mode & 0o777).toBe(0o600);
    await open({ newKey: () => "k".repeat(40) });
    expect(readFileSync(key, "utf8")).toBe(made);
  });

  it("agrees on one key if two processes start at the same moment", async () => {
    const both = await Promise.all([open({ newKey: () => "a".repeat(40) }), open({ newKey: () => "b".repeat(40) })]);
    for (const audit of both) audit.append(CALL);
    for (const audit of both) await audit.flush();
    const hashes = (await both[0].lines()).map((line) => line.args_hash);
    expect(hashes).toHaveLength(2);
    expect(new Set(hashes).size).toBe(1);
  });

  it("refuses a file in a missing folder, and a key that is too short", async () => {
    await expect(open({ file: path.join(dir, "no", "audit.jsonl") })).rejects.toThrow("change TOOL_AUDIT_FILE");
    writeFileSync(path.join(dir, "short.key"), "hunter2");
    await expect(open({ keyFile: path.join(dir, "short.key") })).rejects.toThrow(/^(?!.*hunter2).*under 32 characters/);
    await expect(open({ keyFile: path.join(dir, "no", "own.key") })).rejects.toThrow("change AUDIT_KEY_FILE");
  });
});

async function open(options: { readonly file?: string; readonly keyFile?: string; readonly newKey?: () => string } = {}) {
  const files = jsonlFiles({ onLost: (_, code) => expect.fail(code) });
  const file = options.file ?? path.join(dir, "audit.jsonl");
  const keyFile = options.keyFile ?? `${file}.key`;
  const audit = await openToolAudit(files, { file, keyFile, newKey: options.newKey ?? (() => "key-of-this-deployment-0123456789abcdef") });
  return {
    ...audit,
    flush: () => files.flush(),
    async lines(): Promise<readonly AuditLine[]> {
      await files.flush();
      return readFileSync(file, "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as AuditLine);
    },
  };
}
