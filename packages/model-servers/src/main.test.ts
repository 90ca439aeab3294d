import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const program = fileURLToPath(new URL("main.ts", import.meta.url));

describe("a model server as a process", () => {
  it("prints its address in a line of JSON, and ends when it is told to", async () => {
    const child = spawn(process.execPath, [program, "compatible"], { stdio: ["ignore", "pipe", "inherit"] });
    try {
      const [line] = (await once(createInterface(child.stdout), "line")) as [string];
      const { vendor, url, key, model } = JSON.parse(line) as Readonly<Record<string, string>>;
      const models = await fetch(`${url}/models`, { headers: { authorization: `Bearer ${key}` } });
      expect([vendor, await models.json()]).toMatchObject(["compatible", { data: [{ id: model }] }]);
      child.kill("SIGTERM");
      expect(await once(child, "exit")).toEqual([0, null]);
    } finally {
      child.kill("SIGKILL");
    }
  });

  it("names the vendors if it is started for an unknown one", async () => {
    const child = spawn(process.execPath, [program, "nobody"], { stdio: ["ignore", "ignore", "pipe"] });
    const [[usage], [code]] = (await Promise.all([once(createInterface(child.stderr), "line"), once(child, "exit")])) as [
      [string],
      [number],
    ];
    expect([code, usage]).toEqual([1, expect.stringContaining("anthropic|openai|openrouter|ollama|compatible|bedrock")]);
  });
});
