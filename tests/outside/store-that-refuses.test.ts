import { mkdirSync, rmdirSync } from "node:fs";
import path from "node:path";
import { freePort } from "@toolbus/testing/servers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Answer, ask } from "../redteam/http.ts";
import { faultsOf, PROCESSES, startWatchedSystem, type WatchedSystem } from "./watched-system.ts";

/** This is longer than 15 s. A process that writes nothing else remembers for 15 s that a change was refused. */
const PATIENCE = { timeout: 25_000, interval: 100 } as const;

/** One way in which a Redis answers every read but refuses every change. `word` is in the process's report. `words` match the process's log. */
interface Refusal {
  readonly why: string;
  readonly word: string;
  readonly words: RegExp;
  readonly begin: () => Promise<void>;
  readonly fix: () => Promise<void>;
}

describe("a Redis that answers but accepts no change, with each service in a separate process", () => {
  let watched: WatchedSystem;
  beforeAll(async () => {
    watched = await startWatchedSystem("nats");
  });
  afterAll(() => watched?.[Symbol.asyncDispose]());

  const cases: readonly Refusal[] = [
    {
      why: "its memory is full",
      word: "memory",
      words: /has reached maxmemory and accepts no more: give it more memory, or remove old data/,
      begin: () => set("maxmemory", "1"),
      fix: () => set("maxmemory", "0"),
    },
    {
      why: "it misses a replica",
      word: "replicas",
      words: /has fewer replicas than min-replicas-to-write asks for/,
      begin: () => set("min-replicas-to-write", "1"),
      fix: () => set("min-replicas-to-write", "0"),
    },
    {
      why: "it was made a replica",
      word: "read-only",
      words: /is a replica now/,
      // No server is at the given address, so this Redis becomes a replica that keeps its data.
      begin: async () => void (await redis("REPLICAOF", "127.0.0.1", String(await freePort()))),
      fix: async () => void (await redis("REPLICAOF", "NO", "ONE")),
    },
    {
      why: "it cannot save to its disk",
      word: "disk",
      words: /cannot write to its disk, and so refuses to change anything/,
      begin: async () => {
        mkdirSync(await dump());
        await set("save", "3600 1");
        await saved("err");
      },
      fix: async () => {
        rmdirSync(await dump());
        await saved("ok");
        await set("save", "");
      },
    },
  ];

  it.each(cases)(
    "makes every process unready and ends none, and needs no restart afterwards: $why",
    async ({ why, word, words, begin, fix }) => {
      const { arena, system } = watched;
      await expect.poll(ready, PATIENCE).toEqual(allWith("200"));
      const watch = watched.watch();
      // A run is under way: its worker has the call, but the target has not answered yet.
      const answer = system.target.pause();
      const underWay = await arena.asked("read", { payee: "BAKERY", amount: 1 });
      const reported = system.lines().length - 1;
      const began = performance.now();
      let refused: Answer | undefined;
      let unreadyAfter = 0;
      let fixed = 0;
      try {
        await begin();
        await expect.poll(ready, PATIENCE).toEqual(allWith(`503 the state store accepts no changes: ${word}`));
        unreadyAfter = performance.now() - began;
        refused = await ask(arena.gateway("/v1/conversations"), system.people.rita, { profile: "direct" });
      } finally {
        answer();
        fixed = performance.now();
        await fix();
      }
      await expect.poll(ready, PATIENCE).toEqual(allWith("200"));
      const readyAfter = performance.now() - fixed;

      const later = await arena.asked("read", { payee: "BAKERY", amount: 2 });
      for (const { runId } of [underWay, later]) expect((await arena.ended(runId)).at(-1)).toMatchObject({ type: "run.completed" });
      const write = await arena.done("high", { payee: "BAKERY", amount: 3 });
      expect(system.target.journal().filter(({ callId }) => callId === write.callId)).toHaveLength(1);
      const health = await watch.end();
      const lines = system.lines().slice(reported);
      console.log(
        `${why}: ${PROCESSES.length} processes unready within ${Math.round(unreadyAfter)} ms and ready ${Math.round(readyAfter)} ms after it was fixed; ` +
          `a request meanwhile: ${refused.status} ${JSON.stringify(refused.body["detail"])}; slowest /healthz: ${JSON.stringify(health.slowest)}`,
      );
      expect(refused).toMatchObject({ status: 503, body: { code: "store_unavailable" } });
      expect(faultsOf(watched, health)).toEqual([]);
      for (const name of PROCESSES) {
        const own = lines.filter((line) => line.startsWith(`${name === "worker" ? "tool-executor" : name}: `));
        const said = own.filter((line) => line.includes(`"reason":"the state store accepts no changes: ${word}"`));
        expect(said.find((line) => line.includes("the state store accepts no changes now, so this process is not ready"))).toMatch(words);
        expect(said.find((line) => line.includes("the state store accepts changes again"))).toBeDefined();
      }
    },
  );

  /** Returns the report of each process on its readiness, in short form. */
  async function ready(): Promise<Readonly<Record<string, string>>> {
    const all = Object.entries(watched.addresses("/readyz")).map(async ([name, url]) => {
      const response = await fetch(url, { signal: AbortSignal.timeout(5000) });
      const { reasons } = (await response.json()) as { readonly reasons: readonly string[] };
      return [name, [response.status, ...reasons].join(" ")] as const;
    });
    return Object.fromEntries(await Promise.all(all));
  }

  function redis(...words: readonly string[]) {
    return watched.arena.eye.redis(...words);
  }

  async function set(name: string, value: string): Promise<void> {
    await redis("CONFIG", "SET", name, value);
  }

  /** Returns the path where Redis saves. A test puts a folder there, so that saving fails. */
  async function dump(): Promise<string> {
    const [dir, file] = await Promise.all(
      ["dir", "dbfilename"].map(async (name) => String([await redis("CONFIG", "GET", name)].flat()[1])),
    );
    return path.join(dir ?? "", file ?? "");
  }

  async function saved(status: "ok" | "err"): Promise<void> {
    await redis("BGSAVE");
    const last = async (): Promise<string> => String(await redis("INFO", "persistence"));
    await expect.poll(last, PATIENCE).toMatch(new RegExp(`rdb_bgsave_in_progress:0[\\s\\S]*rdb_last_bgsave_status:${status}`));
  }
});

function allWith(said: string): Readonly<Record<string, string>> {
  return Object.fromEntries(PROCESSES.map((name) => [name, said]));
}
