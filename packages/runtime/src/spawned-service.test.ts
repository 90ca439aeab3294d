import { mkdtempDisposable, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type SpawnedService, spawnService } from "./spawned-service.ts";

const MODULE = new URL("./spawned-service-child.ts", import.meta.url);

describe("a service in a separate process", () => {
  it("is there when it accepts work, with the addresses at which it listens", async () => {
    const service = await spawned({ CHILD: "listens" });
    expect(service.urls).toEqual({ child: "http://127.0.0.1:1" });
    expect(await service.stop()).toBe(0);
  });

  it("gets the given environment, and from ours only the place where Node keeps compiled code", async () => {
    const said: string[] = [];
    const service = await spawned({ CHILD: "tells its environment" }, (text) => said.push(text));
    await service.stop();
    const names: string[] = JSON.parse(said.join("")).filter((name: string) => !/^NODE_(?:CHANNEL|COMPILE_CACHE$)/.test(name));
    expect(names).toEqual(["CHILD", "LOG_LEVEL", "STATE_URL"]);
  });

  it("that cannot start is refused with its own sentence", async () => {
    await expect(spawned({ CHILD: "is refused" })).rejects.toThrow("The service child did not start: The door is locked: unlock it.");
  });

  it("that takes too long to start is killed, and its refusal says so, whatever it printed meanwhile", async () => {
    const said: string[] = [];
    const starting = spawned({ CHILD: "never starts" }, (text) => said.push(text), 300);
    const refused = await starting.catch((error: unknown) => String(error));
    const last = said.join("") === "" ? "" : " Its last output: starting";
    expect(refused).toBe(`Refusal: The service child did not start: it took more than 0.3 s.${last}`);
  });

  it("is killed while it starts if nobody needs it any more", async () => {
    const stopping = new AbortController();
    const starting = spawned({ CHILD: "never starts" }, () => stopping.abort(new Error("enough")), undefined, stopping.signal);
    await expect(starting).rejects.toThrow("enough");
  });

  it("ends at once when it is killed", async () => {
    const service = await spawned({ CHILD: "listens" });
    await service.kill();
    expect(await service.ended).toBe("SIGKILL");
  });

  it("is killed if it does not stop in time", async () => {
    const service = await spawned({ CHILD: "does not stop" });
    expect(await service.stop(100)).toBe("SIGKILL");
  });

  it("stops by itself and in order when its parent process is gone, even while it prints something that nobody reads", async () => {
    await using folder = await mkdtempDisposable(path.join(tmpdir(), "spawned-"));
    const file = path.join(folder.path, "stopped");
    const said: string[] = [];
    const { promise: grandchild, resolve } = Promise.withResolvers<number>();
    const parent = await spawned({ CHILD: "starts another", STOPPED_FILE: file }, (text) => {
      said.push(text);
      const pid = /grandchild (\d+)/.exec(said.join(""))?.[1];
      if (pid) resolve(Number(pid));
    });
    const pid = await grandchild;
    await parent.kill();
    await gone(pid);
    expect(await readFile(file, "utf8")).toBe("stopped");
  });

  it("leads its own process group, so that Ctrl-C at a terminal reaches only its parent", async () => {
    const service = await spawned({ CHILD: "listens" });
    // `process.kill` throws if the process group does not exist.
    expect(process.kill(-service.pid, 0)).toBe(true);
    expect(await service.stop()).toBe(0);
  });
});

async function spawned(
  env: Readonly<Record<string, string>>,
  onOutput: (text: string) => void = () => undefined,
  startMs?: number,
  signal?: AbortSignal,
): Promise<SpawnedService> {
  const service = await spawnService({
    name: "child",
    module: MODULE,
    env: { STATE_URL: "memory:", LOG_LEVEL: "silent", ...env },
    onOutput,
    ...(startMs === undefined ? {} : { startMs }),
    ...(signal ? { signal } : {}),
  });
  onTestFinished(() => service.kill());
  return service;
}

/** Waits up to 30 s for the end of the grandchild. It polls, because no event reports the end of a process that is not its own child. */
async function gone(pid: number): Promise<void> {
  const isGone = (): boolean => {
    try {
      return !process.kill(pid, 0);
    } catch {
      return true;
    }
  };
  await vi.waitUntil(isGone, { timeout: 30_000, interval: 1 });
}
