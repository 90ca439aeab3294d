import { APPROVAL_STATUSES } from "@toolbus/contracts";
import { type Command, Option } from "commander";
import type { AdoptOptions } from "../approvals/adopt-documents.ts";
import type { ListOptions } from "../approvals/list-approvals.ts";
import type { WatchCommandOptions } from "../approvals/watch-command.ts";
import type { Define } from "../toolbus/command.ts";
import type { DecideOptions } from "../approvals/decide-approval.ts";
import { group } from "./group.ts";
import { pageLimit } from "./page-limit.ts";
import { span } from "./span.ts";
import { since } from "./since.ts";

const APPROVAL = "ap_rn_04_01K0AB5M0Y4T8J6W2Q9Z3C7D1E.1.0";
const ASKS = "Shows the card and asks y/N; without a terminal, --yes is needed.";

const COMMENTS = { approve: "why; kept in the record", deny: "why; the model reads it", revise: "what should change" } as const;

/**
 * Declares `toolbus approvals …`, which shows and decides approvals, and adopts or reseals documents. These commands talk only to the approvals
 * service, with its own keys.
 */
export function addApprovals(program: Command, define: Define): void {
  const approvals = group(program, "approvals", "list, show and decide the writes that wait for a person");

  define(approvals, {
    name: "list",
    summary: "list the approvals that wait for a decision, oldest first, or those that have ended, newest first",
    audience: "approvals",
    examples: [
      "toolbus approvals list",
      "toolbus approvals list --all --since 2h",
      "toolbus approvals list --status rejected --tool file_risk_report --json",
    ],
    run: async (context, command) => (await import("../approvals/list-approvals.ts")).listApprovals(context, command.opts<ListOptions>()),
  })
    .addOption(new Option("--all", "what waits, and what has ended").conflicts("status"))
    .addOption(new Option("--status <status>", "only those with this status").choices([...APPROVAL_STATUSES]))
    .option("--since <time>", "only those that were asked for, or ended, since then: 30m, 2h, 3d, or 2026-11-25T18:00:00Z", since)
    .option("--tool <name>", "only writes of this tool")
    .option("--requester <principal>", "only writes that this principal asked for")
    .option("--limit <number>", "how many, 1 to 100", pageLimit, 20)
    .option("--cursor <cursor>", "continue from the previous page");

  define(approvals, {
    name: "watch",
    summary: "show new approvals and their ends as they happen",
    more: "It continues after a restart of approvals and misses nothing. Leave it with Ctrl-C. With --json each event is one line.",
    audience: "approvals",
    examples: [
      "toolbus approvals watch",
      "toolbus approvals watch --tool file_risk_report",
      "toolbus approvals watch --json --timeout 10m",
    ],
    run: async (context, command) =>
      (await import("../approvals/watch-command.ts")).watchCommand(context, command.opts<WatchCommandOptions>()),
  })
    .option("--all", "also writes that policy or a limit ended at once")
    .option("--tool <name>", "only writes of this tool")
    .option("--requester <principal>", "only writes that this principal asked for");

  define(approvals, {
    name: "show <approval>",
    summary: "show what the call does, to what and for whom",
    audience: "approvals",
    examples: [`toolbus approvals show ${APPROVAL}`, `toolbus approvals show ${APPROVAL} --json`],
    run: async (context, command) => (await import("../approvals/show-approval.ts")).showApproval(context, command.args[0]),
  });

  const decide = (decision: "approve" | "deny" | "revise", summary: string, examples: readonly string[]): Command =>
    define(approvals, {
      name: `${decision} <approval>`,
      summary,
      more: ASKS,
      audience: "approvals",
      examples,
      run: async (context, command) => {
        const { decideApproval } = await import("../approvals/decide-approval.ts");
        return decideApproval(context, decision, command.args[0], command.opts<DecideOptions>());
      },
    })
      .option("--comment <text>", COMMENTS[decision])
      .option("--yes", "do not ask");

  decide("approve", "allow a write", [
    `toolbus approvals approve ${APPROVAL}`,
    `toolbus approvals approve ${APPROVAL} --yes --comment "Checked"`,
    `toolbus approvals approve ${APPROVAL} --edit '{"amount": 20}'`,
  ])
    .option("--ticket <id>", "the ticket that a critical write needs, or one that the policy demands")
    .option("--edit <json>", "approve with these arguments changed, as a JSON object");
  decide("deny", "refuse a write", [
    `toolbus approvals deny ${APPROVAL}`,
    `toolbus approvals deny ${APPROVAL} --yes --comment "Not this week"`,
  ]);
  decide("revise", "send a write back to be reworked", [
    `toolbus approvals revise ${APPROVAL}`,
    `toolbus approvals revise ${APPROVAL} --yes --comment "Make it high"`,
  ]);

  define(approvals, {
    name: "insights",
    summary: "show how long writes waited for people, and how many were denied or expired, by tool and approver",
    more: "It counts the records of the audit, so it needs an operator's key of approvals.",
    audience: "approvals",
    examples: ["toolbus approvals insights", "toolbus approvals insights --since 7d --json"],
    run: async (context, command) =>
      (await import("../approvals/show-insights.ts")).showInsights(context, command.opts<{ since: number }>().since),
  }).option("--since <time>", "only approvals that ended in the last 12h or 7d", span, 30 * 86_400_000);

  define(approvals, {
    name: "adopt",
    summary: "show the documents that approvals finds in the store without a seal, and vouch for them",
    more:
      "Versions before the seals wrote none, and so does anybody else who can write to the store. Asks for each; without a terminal, --yes is needed. " +
      "With --json but without --yes it only lists. Forged documents are shown and never adopted. Needs an operator's key of approvals.",
    audience: "approvals",
    examples: ["toolbus approvals adopt", "toolbus approvals adopt --json"],
    run: async (context, command) =>
      (await import("../approvals/adopt-documents.ts")).adoptDocuments(context, command.opts<AdoptOptions>()),
  }).option("--yes", "adopt all adoptable documents without asking");

  define(approvals, {
    name: "reseal",
    summary: "seal and sign the stored documents again, with the current key",
    more: "Run it between the second and the final step of `keys rotate`. Only seals and signatures change. Needs an operator's key of approvals.",
    audience: "approvals",
    examples: ["toolbus approvals reseal", "toolbus approvals reseal --json"],
    run: async (context) => (await import("../approvals/reseal-documents.ts")).resealDocuments(context),
  });
}
