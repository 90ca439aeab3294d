import { mkdtempDisposable } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { startApart } from "./start-apart.ts";

describe("services that are started apart", () => {
  it("are refused with the sentence of the one that cannot start, which is told once and without the password", async () => {
    await using folder = await mkdtempDisposable(path.join(os.tmpdir(), "apart-"));
    const said: string[] = [];
    const starting = startApart({
      directory: folder.path,
      busUrl: "amqp://127.0.0.1:1",
      stateUrl: "postgres://me:secret@host",
      replicas: 1,
      onOutput: (_name, text) => said.push(text),
    });
    const refusal: unknown = await starting.catch((error: unknown) => error);
    expect(refusal).toHaveProperty(
      "message",
      expect.stringMatching(/^The service tool-executor did not start: The state store "postgres:…" is unknown/),
    );
    expect(said.join("")).toBe("");
    expect(String(refusal)).not.toContain("secret");
  });
});
