import { readdirSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectRefusal } from "./testing/cli-under-test.ts";
import { payingSystem } from "./testing/paying-system.ts";
import { restoreStory } from "./testing/restore-story.ts";
import { scratch, type Scratch } from "./testing/scratch.ts";

let files: Scratch;
beforeAll(() => {
  files = scratch();
});
afterAll(() => files.remove());

describe("a Toolbus on SQLite that is restored from a copy", () => {
  it("does no write twice, lists the held ones, and continues when an operator resumes them", async () => {
    await using system = payingSystem(files, null);
    const copy = files.at("copy");
    await system.start();
    await restoreStory(system, {
      async copy() {
        expect(await system.json("backup", copy)).toMatchObject({ folder: copy, parts: ["state", "keys"] });
        expectRefusal(await system.cli("restore", copy, "--replace"), 1, /is in use by another process: stop that one/);
        expectRefusal(await system.cli("era", "raise", "--reason", "r", "--stopped"), 1, /is in use by another process: stop that one/);
        expectRefusal(await system.cli("backup", copy), 2, /copy is not an empty folder, and was left as it is: name a new one\.$/m);
      },
      async restore() {
        expectRefusal(await system.cli("restore", copy), 1, /has a store, and was left as it is: give --replace/);
        const restored = await system.json("restore", copy, "--replace");
        expect(readdirSync(system.data).filter((name) => name.startsWith("state"))).toEqual([
          "state",
          path.basename(String(restored["kept"])),
        ]);
        return restored;
      },
    });
  });
});

describe("toolbus backup and restore", () => {
  it("restore into a new data directory, with the keys, and never mix the keys of two systems", async () => {
    await using system = payingSystem(files, null);
    await system.start();
    const copy = files.at("copy-2");
    await system.json("backup", copy);
    const elsewhere = files.data();
    expect(await system.json("restore", copy, "--data", elsewhere)).toMatchObject({ kept: null, writes: [] });
    expect(readdirSync(path.join(elsewhere, "keys"))).toEqual(readdirSync(path.join(system.data, "keys")));
    await using other = payingSystem(files, null);
    await other.start();
    await other.kill();
    expectRefusal(await other.cli("restore", copy, "--replace"), 1, /keys has other seal keys than the copy, .* move that folder away/);
    expect(readdirSync(other.data).filter((name) => name.startsWith("state"))).toEqual(["state"]);
  });

  it("say in one line what to do instead", async () => {
    await using system = payingSystem(files, null);
    expectRefusal(
      await system.cli("backup", files.at("c")),
      1,
      /There is no SQLite store at .*state: name the data directory with --data\./,
    );
    expectRefusal(await system.cli("restore", files.at("c")), 2, /is not a complete copy that "toolbus backup" made/);
    await using onRedis = payingSystem(files, "redis://127.0.0.1:1");
    expectRefusal(
      await onRedis.cli("backup", files.at("c")),
      2,
      /^STATE_URL names no directory of SQLite\. Copy a Redis with "redis-cli --rdb FILE"/,
    );
    expectRefusal(await onRedis.cli("restore", files.at("c")), 2, /complete copy|era raise --hold --stopped/);
    expect(readdirSync(files.at(".")).includes("c")).toBe(false);
  });
});
