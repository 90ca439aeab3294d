// This child process runs the all-in-one with two writes of tier high. Their target is a file with one line per effect. It ignores the key of one
// write, and keeps the key of the other. The file outlives this process and its store, as a real target does.
import { appendFileSync, existsSync, readFileSync, writeSync } from "node:fs";
import { startAllInOne } from "@toolbus/all-in-one";
import type { Idempotency } from "@toolbus/contracts";
import { defineTool, toolset } from "@toolbus/tool-kit";

const target = process.env["TARGET_FILE"] ?? "";

const system = await startAllInOne({
  directory: process.env["DATA_DIR"] ?? "",
  env: process.env,
  toolsets: [
    toolset({
      name: "orders",
      tools: [
        write("pay", { mode: "none" }, (line) => appendFileSync(target, line)),
        write("pay_by_key", { mode: "key", keepsForMs: 86_400_000 }, (line) => {
          if (!existsSync(target) || !readFileSync(target, "utf8").includes(line)) appendFileSync(target, line);
        }),
      ],
    }),
  ],
});
writeSync(
  1,
  `ready ${JSON.stringify({ gateway: system.gatewayUrl, approvals: system.approvalsUrl, user: system.keys.user, approver: system.keys.approver })}\n`,
);

function write(name: string, idempotency: Idempotency, pay: (line: string) => void) {
  return defineTool({
    name,
    kind: "write",
    description: "Pays somebody.",
    parameters: {
      type: "object",
      properties: { to: { type: "string", maxLength: 40 } },
      required: ["to"],
      additionalProperties: false,
    },
    risk: { tier: "high" },
    idempotency,
    effect: "Pay {to}.",
    prepare: async (args) => args,
    run: ({ to }, { idempotencyKey }) => {
      pay(`${name} ${JSON.stringify(to)} ${idempotencyKey}\n`);
      return { paid: true };
    },
  });
}
