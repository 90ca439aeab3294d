import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { stampOf } from "@toolbus/contracts";
import { memoryStore } from "@toolbus/state";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { registerToolset } from "../registry/registry.ts";
import { defineTool } from "../tool/define-tool.ts";
import { toolset } from "../tool/toolset.ts";
import { agentStampObstacle, readStamp, stampedTool, workerStampObstacle } from "./registry-stamp.ts";

const limits = { max_tool_rounds: { chat: 5 }, parallel_read_max: 8 };

function pings(description = "Asks the target whether it is there. Gives true. Not for anything else.") {
  const parameters = { type: "object", properties: {}, additionalProperties: false };
  return toolset({ name: "pings", tools: [defineTool({ name: "ping", kind: "read", description, parameters, run: () => true })] });
}

describe("the stamp of a deployment", () => {
  let folder: string;
  let file: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "stamp-"));
    file = path.join(folder, "stamp.json");
  });
  afterEach(() => rm(folder, { recursive: true }));
  const stamp = async (served = pings(), made = limits) =>
    writeFile(
      file,
      JSON.stringify(
        stampOf(
          served.list().map((executor) => stampedTool(served.name, executor)),
          made,
        ),
      ),
    );

  it("lets a worker of the stamped tools begin, and keeps every other one back with the difference and the remedy", async () => {
    await stamp();
    expect(await workerStampObstacle(pings(), file)).toBeNull();
    expect(await workerStampObstacle(pings("Asks another target. Gives true. Not for anything else."), file)).toBe(
      'the toolset pings differs from the registry stamp (ping@1 has another definition): deploy the version that was stamped, or stamp the deployment again with "toolbus tools stamp".',
    );
    expect(await workerStampObstacle(toolset({ name: "other", tools: [] }), file)).toMatch(
      /^the registry stamp has no toolset other: stamp /,
    );
  });

  it("lets an agent begin when its limits are the stamped ones and the registry has the stamped tools", async () => {
    const state = memoryStore({ clock: () => 1 });
    await stamp();
    expect(await agentStampObstacle(state, limits, file)).toMatch(
      /^the registry differs from the registry stamp \(pings: ping@1 is missing\): start the stamped workers first, or stamp /,
    );
    await registerToolset(state, pings());
    expect(await agentStampObstacle(state, limits, file)).toBeNull();
    expect(await agentStampObstacle(state, { ...limits, parallel_read_max: 9 }, file)).toMatch(
      /^the agent differs from the registry stamp \(parallel_read_max is 9 here and 8 in the stamp\): deploy /,
    );
    await state.close();
  });

  it("is refused in one sentence if it is missing or is not a stamp, and is not needed", async () => {
    await expect(readStamp(file)).rejects.toThrow(
      `The registry stamp ${file} cannot be read (ENOENT): stamp the deployment again with "toolbus tools stamp".`,
    );
    await writeFile(file, "not JSON");
    await expect(workerStampObstacle(pings(), file)).rejects.toThrow(
      /^The registry stamp .* is not a stamp: is not JSON\. Stamp the deployment again/,
    );
    expect(await workerStampObstacle(pings(), "")).toBeNull();
  });
});
