import { describe, expect, it } from "vitest";
import { TOOLBUS } from "./testing/cli-under-test.ts";
import { runProgram, startCommand } from "./testing/program.ts";
import { scratch } from "./testing/scratch.ts";

const SAVE = `save_skill ${JSON.stringify({
  name: "read-slow-queries",
  summary: "How to read slow queries.",
  markdown: "Look at the plan first.",
  classification: "internal",
})}`;

/** Starts a Toolbus in one process that also serves the toolset guides. */
async function started() {
  await using begun = new AsyncDisposableStack();
  const files = scratch();
  begun.defer(() => files.remove());
  const data = files.data();
  const program = startCommand(process.execPath, [TOOLBUS, "start", "--data", data], {
    env: { GATEWAY_PORT: "0", APPROVALS_PORT: "0", LOG_LEVEL: "error", TOOLSETS: "release,operations,guides" },
    group: true,
  });
  begun.use(program);
  await program.says(/Stop with Ctrl-C/);
  const address = (service: string): string => new RegExp(`^${service} +(\\S+)$`, "m").exec(program.stdout())?.[1] ?? "";
  const env = { TOOLBUS_URL: address("gateway"), TOOLBUS_APPROVALS_URL: address("approvals"), DATA_DIR: data };
  const open = begun.move();
  return {
    toolbus: (...args: string[]) => runProgram(TOOLBUS, args, { env }),
    /** Starts a chat that runs while a person decides. Its standard output and standard error are merged. */
    chat: (...args: string[]) => startCommand("sh", ["-c", 'exec "$0" "$@" 2>&1', process.execPath, TOOLBUS, "chat", ...args], { env }),
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

describe("a skill, with toolbus start in one process", () => {
  it("is saved by policy, and after a run has read it, a person decides about the next save of the conversation", async () => {
    await using system = await started();
    const { toolbus } = system;
    expect(await toolbus("chat", SAVE)).toMatchObject({ code: 0, stdout: expect.stringContaining("read-slow-queries") });
    expect(await toolbus("chat", 'get_tool_guide {"name":"release"}', "--json")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("file_risk_report"),
    });
    const read = await toolbus("chat", 'get_skill {"name":"read-slow-queries"}', "--json");
    expect(read).toMatchObject({ code: 0, stdout: expect.stringContaining("Look at the plan first.") });
    const [conversation = ""] = /cv_[0-9a-f]{2}_[0-9A-Z]{26}/.exec(read.stdout) ?? [];
    await using chat = system.chat(SAVE, "--conversation", conversation);
    const [, approvalId = ""] = await chat.says(/approvals approve (ap_\S+)/);
    expect(await toolbus("approvals", "approve", approvalId, "--yes")).toMatchObject({ code: 0 });
    expect(await chat.ended()).toMatchObject({ code: 0, stdout: expect.stringContaining("revision") });
  });
});
