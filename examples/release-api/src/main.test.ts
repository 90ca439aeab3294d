import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { recordedRelease } from "./recorded-release.ts";
import { scratchFolder, scratchRepository } from "@toolbus/release-facts/testing";

const MAIN = fileURLToPath(new URL("main.ts", import.meta.url));

function setup() {
  const repo = scratchRepository();
  repo.write("a.txt", "a\n");
  repo.commit("Begin");
  repo.git("tag", "v1.0.0");
  const folder = scratchFolder();
  const children = new Set<ChildProcess>();
  const spawnMain = (...args: string[]) => {
    const child = spawn(process.execPath, [MAIN, ...args], { stdio: ["ignore", "pipe", "pipe"] });
    children.add(child);
    return child;
  };
  return {
    /** Starts the server. Resolves with the process and the server's address when the server prints the address. */
    async serve(...args: string[]) {
      const child = spawnMain(...(args.length > 0 ? args : ["--repo", repo.path]), "--port", "0", "--data", folder.path);
      for await (const line of createInterface({ input: child.stdout })) {
        const url = /http:\/\/[^/]+/.exec(line)?.[0];
        if (url) return { child, url };
      }
      throw new Error("The server printed no address.");
    },
    /** Starts the program and waits until it exits. */
    async run(...args: string[]) {
      const child = spawnMain(...args);
      let said = "";
      child.stderr.on("data", (chunk) => (said += String(chunk)));
      const [code] = await once(child, "close");
      return { code, said };
    },
    repo,
    [Symbol.dispose]() {
      for (const child of children) child.kill("SIGKILL");
      repo[Symbol.dispose]();
      folder[Symbol.dispose]();
    },
  };
}

function file(url: string): Promise<Response> {
  const body = JSON.stringify({ release_id: "v1.0.0", severity: "low", findings: ["nothing found"] });
  return fetch(`${url}/risk-report`, { method: "POST", body, headers: { "content-type": "application/json", "idempotency-key": "once" } });
}

describe("the release API as a process", () => {
  it("serves the repository and ends on SIGTERM", async () => {
    using world = setup();
    const { child, url } = await world.serve();
    const answer = await fetch(`${url}/release-summary?release_id=v1.0.0`);
    expect(await answer.json()).toMatchObject({ version: "v1.0.0", source: "git", changes: ["Begin"] });
    const ended = once(child, "close");
    child.kill("SIGTERM");
    expect(await ended).toEqual([0, null]);
  });

  it("serves the recorded release if there is no history, and says so", async () => {
    using world = setup();
    using bare = scratchFolder();
    const { url } = await world.serve("--repo", bare.path, "--recorded");
    const { release_id } = await recordedRelease();
    const answer = await fetch(`${url}/release-summary?release_id=${encodeURIComponent(release_id)}`);
    expect(await answer.json()).toMatchObject({ release_id, source: "recorded" });
  });

  it("has one report per key, although it was killed in between", async () => {
    using world = setup();
    const first = await world.serve();
    const filed = await file(first.url);
    expect(filed.status).toBe(201);
    const killed = once(first.child, "close");
    first.child.kill("SIGKILL");
    await killed;
    const second = await world.serve();
    const repeat = await file(second.url);
    expect(repeat.status).toBe(200);
    expect(await repeat.json()).toEqual(await filed.json());
  });

  it("refuses bad arguments with one clear text and a code", async () => {
    using world = setup();
    expect(await world.run("--prot", "1")).toMatchObject({ code: 2, said: expect.stringContaining("Usage:") });
    expect(await world.run("--port", "70000")).toMatchObject({ code: 2, said: expect.stringContaining("--port must be a number") });
    const unknown = await world.run("--repo", world.repo.path, "--to", "v9", "--port", "0");
    expect(unknown).toEqual({
      code: 1,
      said: '"v9" names no commit in the repository. Run git tag to see the tags, and git fetch --tags if one is missing.\n',
    });
  });
});
