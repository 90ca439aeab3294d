import { existsSync, mkdtempSync, readdirSync, readlinkSync, rmSync, watch } from "node:fs";
import { connect } from "node:net";
import { once } from "node:events";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { describeOnPrivateServer, describeOnServer, type ServerKind } from "@toolbus/testing/servers";
import { findOnce, startFinder } from "./server-finder.ts";

const EMPTY_MS = 20_000;
const kinds: readonly ServerKind[] = ["redis", "rabbitmq", "nats"];

describeOnPrivateServer("redis", "a server that the environment names", (server) => {
  it("comes before all other sources", async () => {
    const { url, version } = server();
    const { found, said } = await findOnce("redis", { TEST_REDIS_URL: url });
    const described = `Redis ${version} at ${url}, named by TEST_REDIS_URL`;
    expect(found).toEqual({ kind: "redis", url, source: "environment", version, described });
    expect(said).toBe(`Tests use ${described}.\n`);
  });

  it("ends the search if it does not answer, without its password", async () => {
    await server().stop();
    const { host, port } = server();
    const { found, said } = await findOnce("redis", { TEST_REDIS_URL: `redis://:secret@${host}:${port}` });
    expect(found).toEqual({
      kind: "redis",
      missing: `Redis of TEST_REDIS_URL cannot be used: redis://:***@${host}:${port}: nothing listens there`,
      remedy: "start that server, or unset TEST_REDIS_URL",
    });
    expect(said).toBe("");
  });
});

describeOnServer("rabbitmq", "a RabbitMQ that the environment names", (server) => {
  it("is not used if it refuses the login", async () => {
    const url = new URL(server().url);
    url.username = "ada";
    url.password = "secret";
    const { found } = await findOnce("rabbitmq", { TEST_RABBITMQ_URL: url.href });
    expect(found).toMatchObject({ missing: expect.stringMatching(/amqp:\/\/ada:\*\*\*@.*: it refused: ACCESS_REFUSED/) });
    expect(JSON.stringify(found)).not.toContain("secret");
  });

  it("is not used if it has no such virtual host", async () => {
    const { found } = await findOnce("rabbitmq", { TEST_RABBITMQ_URL: `${server().url.replace(/\/$/, "")}/nowhere` });
    expect(found).toMatchObject({ missing: expect.stringContaining("it refused: NOT_ALLOWED") });
  });

  it("is not mistaken for a Redis", async () => {
    const { host } = new URL(server().url);
    const { found } = await findOnce("redis", { TEST_REDIS_URL: `redis://${host}` });
    expect(found).toMatchObject({ missing: expect.stringMatching(/does not speak|closed the connection/) });
  });
});

describe.each(kinds)("the search for %s", (kind) => {
  it("prefers one that already runs on this machine to starting one", async ({ skip }) => {
    const { found: local } = await findOnce(kind, { TEST_SERVERS: "local" });
    skip("missing" in local, "none runs on this machine");
    expect(local).toMatchObject({ kind, source: "local" });
    expect(await findOnce(kind, {})).toMatchObject({ found: local });
  });

  it("says what is missing and how to get it, if there is none", async () => {
    const { found } = await findOnce(kind, { TEST_SERVERS: "environment,private", PATH: "" });
    expect(found).toMatchObject({
      kind,
      missing: expect.stringMatching(/^\w+ was not found: \w+-server is not on the PATH$/),
      remedy: expect.stringMatching(/^apt-get install \w+-server, or start Docker, or set TEST_\w+_URL=\w+:\/\//),
    });
  });

  it("starts a private one, which ends with the process and its data", async () => {
    using place = scratchFolder();
    const { found } = await findOnce(kind, { TEST_SERVERS: "private", TMPDIR: place.folder });
    expect(found).toMatchObject({ kind, source: "private", described: expect.stringContaining("started for these tests") });
    await place.emptied();
    expect(processesIn(place.folder)).toEqual([]);
  });

  it("starts a private one, which also ends when the process is killed", async () => {
    using place = scratchFolder();
    const { program, found } = await startFinder(kind, { TEST_SERVERS: "private", TMPDIR: place.folder });
    await using _ = program;
    const { hostname, port } = new URL("url" in found ? found.url : "");
    const witness = connect(Number(port), hostname);
    await once(witness, "connect");
    const gone = new Promise((resolve) => witness.on("error", resolve).on("close", resolve).resume());
    program.kill("SIGKILL");
    await gone;
    await place.emptied();
    expect(processesIn(place.folder)).toEqual([]);
  });
});

/** Makes a folder for a process's temporary files. */
function scratchFolder() {
  const folder = mkdtempSync(path.join(tmpdir(), "toolbus-scratch-"));
  return {
    folder,
    /** Resolves when the folder is empty. Rejects at a deadline. */
    emptied: () =>
      new Promise<void>((resolve, reject) => {
        const look = (): void => {
          if (readdirSync(folder).length === 0) end(resolve);
        };
        const end = (settle: () => void): void => {
          clearTimeout(deadline);
          watcher.close();
          settle();
        };
        const watcher = watch(folder, look);
        const deadline = setTimeout(() => end(() => reject(new Error(`It still holds ${readdirSync(folder).join(", ")}.`))), EMPTY_MS);
        look();
      }),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Returns the processes that run inside a folder. Only Linux shows them. */
function processesIn(folder: string): readonly string[] {
  if (!existsSync("/proc/self/cwd")) return [];
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readlinkSync(`/proc/${pid}/cwd`).startsWith(folder);
      } catch {
        // The process has ended since the listing.
        return false;
      }
    });
}
