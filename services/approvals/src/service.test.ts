import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { memoryBus } from "@toolbus/bus";
import { type Infrastructure, readSettings, Refusal } from "@toolbus/runtime";
import { memoryStore } from "@toolbus/state";
import { silentLog } from "@toolbus/telemetry";
import { describe, expect, it } from "vitest";
import { correlationIdFrom } from "./routes/correlation-id.ts";
import { approvals } from "./service.ts";
import { own } from "./testing/writes-under-test.ts";
import { approvalsSettings } from "./settings.ts";
import { START } from "./testing/writes-under-test.ts";

describe("the approvals service", () => {
  it("starts, reports its address, and stops however often it is asked to", async () => {
    await using t = await setup();
    for (let i = 0; i < 5; i++) {
      const service = await t.start();
      expect(service.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
      expect(service.unready()).toEqual([]);
      const stops = [service.stop(), service.stop()];
      expect(service.unready()).toEqual(["stopping"]);
      await Promise.all(stops);
      await expect(fetch(`${service.url}/healthz`)).rejects.toThrow(/fetch failed/);
    }
  });

  it("is refused with a sentence when its API keys are missing or its signing key is open to others", async () => {
    await using t = await setup();
    await expect(t.start({ APPROVALS_API_KEYS_FILE: path.join(t.folder, "none.json") })).rejects.toThrow(/API keys .* cannot be read/);
    await chmod(path.join(t.folder, "key.json"), 0o644);
    await expect(t.start()).rejects.toThrow(Refusal);
    await expect(t.start()).rejects.toThrow(/open to others/);
  });

  it("writes its public keys where workers on this machine read them, if configured", async () => {
    await using t = await setup();
    const file = path.join(t.folder, "jwks.json");
    const service = await t.start({ APPROVALS_JWKS_FILE: file });
    const served: unknown = await (await fetch(`${service.url}/.well-known/jwks.json`)).json();
    expect(JSON.parse(await readFile(file, "utf8"))).toEqual(served);
    await service.stop();
  });

  it("leaves nothing running when its port is taken", async () => {
    await using t = await setup();
    const first = await t.start();
    const port = new URL(first.url).port;
    await expect(t.start({ APPROVALS_PORT: port })).rejects.toThrow(/APPROVALS_PORT/);
    await first.stop();
    const again = await t.start({ APPROVALS_PORT: port });
    await again.stop();
  });
});

describe("a correlation id", () => {
  it("is a version 4 UUID of the random bytes", () => {
    expect(correlationIdFrom(new Uint8Array(16))).toBe("00000000-0000-4000-8000-000000000000");
    expect(correlationIdFrom(new Uint8Array(16).fill(255))).toBe("ffffffff-ffff-4fff-bfff-ffffffffffff");
  });
});

async function setup() {
  const folder = await mkdtemp(path.join(os.tmpdir(), "approvals-"));
  const clock = (): number => START;
  const random = (bytes: number): Uint8Array => crypto.getRandomValues(new Uint8Array(bytes));
  const infrastructure: Infrastructure = {
    bus: memoryBus({ clock }),
    state: memoryStore({ clock }),
    log: silentLog,
    identity: own.identityOf("approvals"),
    trusted: own.trusted,
    embedded: true,
    random,
    monotonic: clock,
    clock,
  };
  await writeFile(path.join(folder, "api-keys.json"), "[]");
  const env = {
    APPROVALS_PORT: "0",
    APPROVALS_API_KEYS_FILE: path.join(folder, "api-keys.json"),
    APPROVALS_KEY_FILE: path.join(folder, "key.json"),
  };
  return {
    folder,
    start: (part: Readonly<Record<string, string>> = {}) =>
      approvals.start(infrastructure, readSettings(approvalsSettings, { ...env, ...part })),
    async [Symbol.asyncDispose]() {
      await infrastructure.bus.close();
      await infrastructure.state.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
