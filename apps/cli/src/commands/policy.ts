import type { Command } from "commander";
import type { CheckPolicyOptions } from "../policies/check-policy.ts";
import type { ExplainPolicyOptions } from "../policies/explain-policy.ts";
import type { Define } from "../toolbus/command.ts";
import { group } from "./group.ts";

/** Declares `toolbus policy …`, which reads policy files before approvals does. */
export function addPolicy(program: Command, define: Define): void {
  const policy = group(program, "policy", "check a policy of approvals, and see what it demands");

  define(policy, {
    name: "check <file>",
    summary: "check a policy file and print its version, or every fault with its line",
    more: "Exits with 1 if the file cannot be used. With --registered, it needs an operator's key of approvals.",
    audience: "approvals",
    examples: ["toolbus policy check policy.yaml", "toolbus policy check policy.yaml --registered --json"],
    run: async (context, command) =>
      (await import("../policies/check-policy.ts")).checkPolicy(context, command.args[0] ?? "", command.opts<CheckPolicyOptions>()),
  }).option("--registered", "also check that approvals knows the tools and toolsets that it names");

  define(policy, {
    name: "explain <file>",
    summary: "show what a policy demands of one call, without making it",
    more:
      "Shows the tier, the rules that raised it, who has to approve, and until when. The definition comes from a running approvals service, with an " +
      "operator's key, or from --definition. HITL_MODE and WRITE_TOOLS of the service may demand more.",
    audience: "approvals",
    examples: [
      `toolbus policy explain policy.yaml --tool issue_refund --args '{"amount":80}'`,
      `toolbus policy explain policy.yaml --tool issue_refund --args '{}' --definition refund.json`,
    ],
    run: async (context, command) =>
      (await import("../policies/explain-policy.ts")).explainPolicy(context, command.args[0] ?? "", command.opts<ExplainPolicyOptions>()),
  })
    .requiredOption("--tool <name>", "the tool that is called")
    .requiredOption("--args <json>", "its arguments, as a JSON object")
    .option("--definition <file>", "the tool's definition, as JSON; by default the enabled one of approvals")
    .option("--toolset <name>", "the toolset of the tool; by default that of its definition")
    .option("--tenant <tenant>", "the tenant of the requester", "local")
    .option("--at <time>", "the time of the request, such as 2026-06-05T15:00:00Z; now by default");

  define(policy, {
    name: "diff <before> <after>",
    summary: "show what one policy file changes about another, and what gets looser",
    audience: "approvals",
    examples: ["toolbus policy diff policy.yaml new-policy.yaml", "toolbus policy diff policy.yaml new-policy.yaml --json"],
    run: async (context, command) =>
      (await import("../policies/diff-policy.ts")).diffPolicy(context, command.args[0] ?? "", command.args[1] ?? ""),
  });
}
