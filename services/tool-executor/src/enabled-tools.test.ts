import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { parseEnabledToolsFile } from "@toolbus/contracts";
import { toolHash } from "@toolbus/grants";
import { expect, it } from "vitest";
import { releaseToolset } from "./toolsets/release/release-toolset.ts";

it("the file of enabled tools names every write that ships, by its hash", async () => {
  const file = fileURLToPath(import.meta.resolve("@toolbus/tool-executor/enabled-tools.json"));
  const toolset = releaseToolset({ url: "http://127.0.0.1:9" });
  const writes = toolset.list().flatMap(({ definition }) => (definition.kind === "write" ? [definition] : []));
  expect(writes.length).toBeGreaterThan(0);
  expect(parseEnabledToolsFile(await readFile(file, "utf8"))).toEqual({
    ok: true,
    value: writes.map((definition) => ({
      tool: definition.name,
      toolset: toolset.name,
      version: definition.version,
      hash: toolHash(definition),
    })),
  });
});
