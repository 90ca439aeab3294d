import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { type StateStore, StoreRefused } from "../state-store.ts";
import { openSqliteStore } from "./sqlite-store.ts";

const WRITER = fileURLToPath(new URL("./kill-writer.ts", import.meta.url));
const SEED = 20_240_607;
const KILLS = 6;

describe("a process that is killed while it writes", () => {
  it(`leaves every acknowledged change whole and no other half done (seed ${SEED})`, async () => {
    const { directory, startWriter } = setup();
    let written = 0;
    for (const after of killPoints()) {
      const writer = startWriter(written + 1);
      const acknowledged = await writer.killedAfter(written + after);
      const store = await openSqliteStore({ directory });
      written = await changesIn(store);
      await store.close();
      // The change that was pending at the kill may have succeeded without an acknowledgement.
      expect(written - acknowledged).toBeGreaterThanOrEqual(0);
      expect(written - acknowledged).toBeLessThanOrEqual(1);
    }
    expect(written).toBeGreaterThan(KILLS);
  });

  it("keeps a second process out while it is alive, and releases the directory when it is dead", async () => {
    const { directory, startWriter } = setup();
    const writer = startWriter(1);
    await writer.acknowledged(1);
    await expect(openSqliteStore({ directory })).rejects.toThrow(
      new StoreRefused(`The state in ${directory} is in use by another process: stop that one or name another directory.`),
    );
    await writer.killedAfter(1);
    await (await openSqliteStore({ directory })).close();
  });
});

/** Checks that every change in the store is complete, and returns the number of changes. */
async function changesIn(store: StateStore): Promise<number> {
  const { documents, now } = await store.read(["tb:sample:{00}:head"]);
  const count = Number(documents[0]?.value ?? 0);
  const numbers = Array.from({ length: count }, (_, n) => n + 1);

  const items = await store.read([...numbers, count + 1].map((n) => `tb:sample:{00}:item-${n}`));
  expect(items.documents.map((document) => document?.value ?? null)).toEqual([...numbers, null]);
  const entries = await store.range("tb:sample:{00}:log", { after: 0, limit: count + 10 });
  expect(entries).toEqual(numbers.map((n) => ({ sequence: n, value: n })));
  expect(documents[0]?.version).toBe(count);

  const options = { limit: count + 10, visibleAfter: 0 };
  const timers = await store.claim("s", "timer", options);
  expect(timers.map(({ id }) => id).toSorted()).toEqual(numbers.map((n) => `timer-${n}`).toSorted());
  const messages = await store.claim("s", "outbox", options);
  expect(messages.map(({ message }) => Number(message)).toSorted((a, b) => a - b)).toEqual(numbers);
  // The start made the timers due, because the process that owned them is dead.
  expect(Math.max(0, ...timers.map(({ due }) => due))).toBeLessThanOrEqual(now);
  return count;
}

/** Returns, for each writer, the number of further acknowledgements after which the test kills the writer. The seed always gives the same numbers. */
function killPoints(): readonly number[] {
  let state = SEED;
  return Array.from({ length: KILLS }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return 1 + ((state >>> 8) % 60);
  });
}

function setup() {
  const directory = mkdtempSync(path.join(tmpdir(), "state-kill-"));
  const children: ChildProcess[] = [];
  onTestFinished(async () => {
    for (const child of children) await killed(child);
    rmSync(directory, { recursive: true });
  });
  return { directory, startWriter };

  function startWriter(first: number) {
    const child = spawn(process.execPath, [WRITER, directory, String(first)], { stdio: ["ignore", "pipe", "inherit"] });
    children.push(child);
    let last = first - 1;
    let noticed: () => void = () => {};
    const lines = createInterface({ input: child.stdout });
    lines.on("line", (line) => {
      last = Number(line);
      noticed();
    });
    let open = true;
    const ended = once(lines, "close").then(() => {
      open = false;
      noticed();
    });
    return { acknowledged, killedAfter };

    /** Waits until the change with this number is acknowledged. */
    async function acknowledged(n: number): Promise<void> {
      while (last < n) {
        if (!open) throw new Error(`The writer ended by itself after ${last}.`);
        await new Promise<void>((resolve) => (noticed = resolve));
      }
    }

    /** Kills the writer once this change is acknowledged, and returns the last number that the writer printed. */
    async function killedAfter(n: number): Promise<number> {
      await acknowledged(n);
      await killed(child);
      await ended;
      return last;
    }
  }
}

async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, "exit");
  child.kill("SIGKILL");
  await exit;
}
