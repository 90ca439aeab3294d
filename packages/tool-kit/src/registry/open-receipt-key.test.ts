import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { memoryBus } from "@toolbus/bus";
import { openSigningKey } from "@toolbus/grants";
import { memoryStore } from "@toolbus/state";
import { silentLog } from "@toolbus/telemetry";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openReceiptKey } from "./open-receipt-key.ts";
import { readRegistry } from "./read-registry.ts";
import { serveToolset } from "../serve-toolset.ts";
import { approvalsKeys, receiptSigner } from "../testing/bench.ts";
import { orders, target } from "../testing/target.ts";
import { toolset } from "../tool/toolset.ts";
import { startWorker } from "../worker.ts";

const BROKER = "amqp://broker.example";
const withWrite = orders(target());
const reads = toolset({ name: "reads", tools: withWrite.list().flatMap(({ tool }) => (tool.kind === "write" ? [] : [tool])) });

let directory = "";
beforeEach(async () => void (directory = await mkdtemp(path.join(tmpdir(), "receipt-key-"))));
afterEach(() => rm(directory, { recursive: true }));

describe("the receipt key of a toolset", () => {
  it("is demanded of a toolset with writes if others are on the bus, with one sentence", async () => {
    await expect(openReceiptKey(withWrite, { file: undefined, busUrl: BROKER })).rejects.toThrow(
      'The toolset "orders" has the write "pay" and no receipt key: pass "receiptKeyFile". "toolbus keys --toolsets orders --give worker.orders=FOLDER" copies worker.orders-signing.jwk into a folder for all its replicas.',
    );
    const file = path.join(directory, "none.jwk");
    await expect(openReceiptKey(withWrite, { file, busUrl: BROKER })).rejects.toThrow(
      /^There is no receipt key .* "toolbus keys --toolsets orders --give/,
    );
  });

  it("is read from its file, whose older keys still verify", async () => {
    const file = path.join(directory, "receipts.jwk");
    const { kid } = await openSigningKey({ file });
    const key = await openReceiptKey(withWrite, { file, busUrl: BROKER });
    expect(key?.signer.kid).toBe(kid);
    expect(await key?.keys.find(kid)).not.toBeNull();
  });

  it("is made if nobody else is on the bus, and is not needed by a toolset that only reads", async () => {
    const file = path.join(directory, "made.jwk");
    const made = await openReceiptKey(withWrite, { file, busUrl: "memory:" });
    expect((await openReceiptKey(withWrite, { file, busUrl: BROKER }))?.signer.kid).toBe(made?.signer.kid);
    expect(await openReceiptKey(withWrite, { file: undefined, busUrl: "memory:" })).not.toBeNull();
    expect(await openReceiptKey(reads, { file: undefined, busUrl: BROKER })).toBeNull();
  });

  it("is looked up before anything is connected", async () => {
    const options = { busUrl: BROKER, stateUrl: "redis://store.example", jwksFile: "none.json", logLevel: "silent" } as const;
    await expect(serveToolset(withWrite, options)).rejects.toThrow(/no receipt key/);
  });
});

describe("serveToolset", () => {
  it.each([99, 3_600_001, Number.NaN])("refuses %s as the tolerated clock difference", async (clockSkewWarnMs) => {
    const options = { busUrl: BROKER, stateUrl: "redis://store.example", jwksFile: "none.json", clockSkewWarnMs } as const;
    await expect(serveToolset(reads, options)).rejects.toThrow('"clockSkewWarnMs" must be from 100 to 3600000 milliseconds');
  });
});

describe("a worker", () => {
  const setup = () => {
    const state = memoryStore({ clock: () => 1000 });
    const bus = memoryBus();
    const random = (bytes: number) => crypto.getRandomValues(new Uint8Array(bytes));
    return { state, bus, keys: approvalsKeys, log: silentLog, clock: () => 1000, monotonic: () => 1000, random };
  };

  it("does not start with a write and no key", async () => {
    await expect(startWorker({ ...setup(), toolset: withWrite })).rejects.toThrow(
      'The toolset "orders" has the write "pay" and no receipt key: what it does has to be signed.',
    );
    await (await startWorker({ ...setup(), toolset: reads })).stop();
  });

  it("registers the public half of its key, and again when it has another", async () => {
    const parts = setup();
    const kids = async () => [...new Set((await readRegistry(parts.state)).map(({ receiptKey }) => receiptKey?.kid))];
    await (await startWorker({ ...parts, toolset: withWrite, signer: receiptSigner })).stop();
    expect(await kids()).toEqual([receiptSigner.kid]);
    const key = await openReceiptKey(withWrite, { file: undefined, busUrl: "memory:" });
    await (await startWorker({ ...parts, toolset: withWrite, signer: key?.signer })).stop();
    expect(await kids()).toEqual([key?.signer.kid]);
    expect(JSON.stringify(await readRegistry(parts.state))).not.toContain('"d":');
  });
});
