import { execFile } from "node:child_process";
import { copyFile, rename } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { describeOnPrivateServer } from "@toolbus/testing/servers";
import { afterAll, beforeAll, expect, it } from "vitest";
import { redisClient } from "../servers/redis-client.ts";
import { payingSystem } from "./testing/paying-system.ts";
import { restoreStory } from "./testing/restore-story.ts";
import { scratch, type Scratch } from "./testing/scratch.ts";

const run = promisify(execFile);

describeOnPrivateServer("redis", "a Toolbus on a Redis that is restored from a copy of redis-cli --rdb", (server) => {
  let files: Scratch;
  beforeAll(() => {
    files = scratch();
  });
  afterAll(() => files.remove());

  it("does no write twice, lists the held ones, and continues when an operator resumes them", async () => {
    await using system = payingSystem(files, server().url);
    const copy = files.at("copy.rdb");
    await system.start();
    await restoreStory(system, {
      async copy() {
        await run("redis-cli", ["-u", server().url, "--rdb", copy]);
        expect((await run("redis-check-rdb", [copy])).stdout).toContain("RDB looks OK!");
      },
      async restore() {
        const folder = await folderOf(server().url);
        await server().stop();
        // Redis would load its append-only file, and not the copy. It makes a new one from a file with the name that earlier versions used.
        await rename(path.join(folder, "appendonlydir"), path.join(folder, "appendonlydir.before"));
        await copyFile(copy, path.join(folder, "appendonly.aof"));
        await server().start();
        return system.json("era", "raise", "--reason", "restored the copy of midnight", "--hold", "--stopped");
      },
    });
  });
});

async function folderOf(url: string): Promise<string> {
  await using client = await redisClient(url);
  return String([await client.ask("CONFIG", "GET", "dir")].flat()[1]);
}
