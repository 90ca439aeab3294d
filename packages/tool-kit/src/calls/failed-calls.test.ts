import { attributes, type JsonObject } from "@toolbus/contracts";
import { silentLog } from "@toolbus/telemetry";
import { describe, expect, it } from "vitest";
import { defineTool } from "../tool/define-tool.ts";
import { readResult } from "./read-result.ts";
import { bench } from "../testing/bench.ts";
import { toolError, type ToolProblem } from "../tool/tool-problem.ts";
import { fixedToolFlags } from "../registry/tool-flags.ts";
import { toolset } from "../tool/toolset.ts";

const hangs = (): Promise<never> => new Promise(() => undefined);
const breaks = (): never => {
  throw new TypeError("It is not a function.");
};

interface Case {
  readonly what: string;
  readonly run?: () => never | Promise<never> | ToolProblem;
  readonly tool?: string;
  readonly args?: JsonObject;
  readonly off?: true;
  /** The code, the class, the wire code (null if the body is a plain response), the name and the status. */
  readonly is: readonly [code: string, errorClass: string, wireCode: string | null, name: string, status: string];
}

const CASES: readonly Case[] = [
  {
    what: "with wrong arguments",
    args: { id: 1 },
    is: ["invalid_arguments", "ToolUserError", "InvalidArguments", "InvalidArgumentsError", "validation_error"],
  },
  {
    what: "of an unknown tool",
    tool: "look_upp",
    is: ["tool_not_found", "ToolUserError", "ToolNotFound", "ToolNotFoundError", "unknown_tool"],
  },
  { what: "that takes too long", run: hangs, is: ["timeout", "ToolTransientError", "Timeout", "ToolTimeoutError", "timeout"] },
  {
    what: "whose tool breaks",
    run: breaks,
    is: ["execution_failed", "ToolTerminalError", "ExecutionFailed", "ToolExecutionError", "error"],
  },
  {
    what: "whose target cannot be reached",
    run: () => toolError("unavailable", "No connection."),
    is: ["unavailable", "ToolTransientError", null, "ToolExecutionError", "error"],
  },
  {
    what: "that the target refuses",
    run: () => toolError("policy_denied", "Not this account."),
    is: ["policy_denied", "ToolPolicyError", null, "ToolExecutionError", "denied"],
  },
  {
    what: "to which the tool says no",
    run: () => toolError("order_not_found", "There is no order a."),
    is: ["order_not_found", "ToolUserError", null, "ToolExecutionError", "error"],
  },
  { what: "of a tool that is switched off", off: true, is: ["tool_disabled", "ToolPolicyError", null, "ToolExecutionError", "denied"] },
];

/** Makes one call on the real path. Returns the answer that the agent reads, its body on the wire and its line in the worker's log. */
async function called({ run = breaks, tool = "look_up", args = { id: "a" }, off }: Pick<Case, "run" | "tool" | "args" | "off">) {
  const lines: object[] = [];
  const parameters = { type: "object", properties: { id: { type: "string" } }, required: ["id"], additionalProperties: false };
  const lookUp = defineTool({
    name: "look_up",
    kind: "read",
    description: "Looks up.",
    flag: "look_up_on",
    parameters,
    timeoutMs: 20,
    run,
  });
  const made = bench(toolset({ name: "orders", tools: [lookUp] }));
  const log = { ...silentLog, debug: (fields: object) => void lines.push(fields) };
  const worker = made.process({ log, flags: fixedToolFlags("test", { look_up_on: !off }) });
  await worker.deliver(await made.invoke(tool, args));
  const [answer] = worker.answers;
  if (!answer) throw new Error("The call was not answered.");
  return { result: worker.read()[0]?.result, answer, body: JSON.parse(answer.body) as JsonObject, line: lines.at(-1) };
}

describe("a call", () => {
  it.each(CASES)("$what fails under one code in the four vocabularies of errors", async ({ is, ...made }) => {
    const [code, errorClass, wireCode, name, status] = is;
    const { result, answer, body, line } = await called(made);
    expect(result).toMatchObject({ status, error: { code, class: errorClass } });
    expect(JSON.parse(result?.content ?? "")).toMatchObject({ error: code, class: errorClass, message: result?.error?.message });
    expect(body["code"] ?? null).toBe(wireCode);
    expect(answer.attributes[attributes.errorClass]).toBe(errorClass);
    expect(line).toMatchObject({ status, code, errorName: name, tool: made.tool ?? "look_up" });
  });

  it("whose worker sends only the wire code is read by the same table", async () => {
    for (const { is, ...made } of CASES) {
      const [code, errorClass, wireCode, , status] = is;
      if (wireCode === null) continue;
      const { answer } = await called(made);
      const { [attributes.resultMetadata]: _, [attributes.errorDetails]: __, ...bare } = answer.attributes;
      expect(readResult({ ...answer, attributes: bare })).toMatchObject({
        value: { result: { status, error: { code, class: errorClass } } },
      });
    }
  });

  it("that fails in its tool throws an error named after its kind", () => {
    const names = ["invalid_arguments", "timeout", "unavailable", "order_not_found"].map((code) => toolError(code, "No.").name);
    expect(names).toEqual(["InvalidArgumentsError", "ToolTimeoutError", "ToolExecutionError", "ToolExecutionError"]);
    expect(String(toolError("timeout", "Too slow."))).toBe("ToolTimeoutError: Too slow.");
  });

  it("that succeeds has the status ok and no error, in the answer and in the log", async () => {
    const lines: object[] = [];
    const parameters = { type: "object", properties: {}, additionalProperties: false };
    const { process, invoke } = bench(
      toolset({
        name: "orders",
        tools: [defineTool({ name: "look_up", kind: "read", description: "Looks up.", parameters, run: () => "found" })],
      }),
    );
    const worker = process({ log: { ...silentLog, debug: (fields: object) => void lines.push(fields) } });
    await worker.deliver(await invoke("look_up", {}));
    expect(worker.read()[0]?.result).toMatchObject({ status: "ok", isError: false });
    expect(lines.at(-1)).toMatchObject({ status: "ok", ok: true });
    expect(lines.at(-1)).not.toHaveProperty("errorName");
  });
});
