// The process of a bridge, for the benchmark of its start. It is asked for the number of tools when all servers of a file have listed theirs.
import { randomBytes } from "node:crypto";
import { memoryStore } from "@toolbus/state";
import { silentLog } from "@toolbus/telemetry";
import { openMcp } from "@toolbus/tool-executor/mcp";
import { answerQuestions } from "../asked-process.ts";

/** The file that names the servers. */
export interface AskedBridge {
  readonly file: string;
}

const clock = (): number => Date.now();
const state = memoryStore({ clock });
let bridge: Awaited<ReturnType<typeof openMcp>> | undefined;

answerQuestions<AskedBridge>(
  async ({ file }) => {
    const opened = await openMcp(file, {
      state,
      clock,
      log: silentLog,
      monotonic: () => performance.now(),
      random: (bytes) => randomBytes(bytes),
      env: {},
    });
    bridge = opened;
    await allListed(opened);
    return { tools: opened.toolset.list().filter(({ definition }) => /^s\d+__tool_\d+$/.test(definition.name)).length };
  },
  async () => {
    await bridge?.stop();
    await state.close();
  },
);

/** Resolves when each server has listed its tools. The parent's question has a time limit. */
async function allListed(opened: Awaited<ReturnType<typeof openMcp>>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  opened.follow(async () => {
    if ([...opened.sources().values()].every(Boolean)) resolve();
  });
  await promise;
}
