import type { Command } from "commander";
import type { AdoptOptions } from "../approvals/adopt-documents.ts";
import type { Define } from "../toolbus/command.ts";
import type { DecideOptions } from "../approvals/decide-approval.ts";
import { group } from "./group.ts";
import { pageLimit } from "./page-limit.ts";

const APPROVAL = "ap_rn_04_01K0AB5M0Y4T8J6W2Q9Z3C7D1E.1.0";
const ASKS = "Shows the card and asks y/N; where there is no terminal, --yes is needed.";

/** `toolbus approvals …`: what waits for a person, and what of it does not count, at the approvals service and with its own keys only. */
export function addApprovals(program: Command, define: Define): void {
  const approvals = group(program, "approvals", "list, show and decide the writes that wait for a person");

  define(approvals, {
    name: "list",
    summary: "list what waits for a decision, the oldest first",
    audience: "approvals",
    examples: ["toolbus approvals list", "toolbus approvals list --json", "toolbus approvals list --limit 5"],
    run: async (context, command) => {
      const { limit, cursor } = command.opts<{ limit: number; cursor?: string }>();
      const { listApprovals } = await import("../approvals/list-approvals.ts");
      return listApprovals(context, { limit, ...(cursor === undefined ? {} : { cursor }) });
    },
  })
    .option("--limit <number>", "how many, 1 to 100", pageLimit, 20)
    .option("--cursor <cursor>", "go on where the page before ended");

  define(approvals, {
    name: "show <approval>",
    summary: "show what will be done, to what and for whom",
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
      .option("--comment <text>", decision === "revise" ? "what should change" : "why; the model reads it")
      .option("--yes", "do not ask");

  decide("approve", "let a write happen", [
    `toolbus approvals approve ${APPROVAL}`,
    `toolbus approvals approve ${APPROVAL} --yes --comment "Checked"`,
  ]).option("--ticket <id>", "the ticket that a critical write takes");
  decide("deny", "refuse a write", [
    `toolbus approvals deny ${APPROVAL}`,
    `toolbus approvals deny ${APPROVAL} --yes --comment "Not this week"`,
  ]);
  decide("revise", "send a write back to be reworked", [
    `toolbus approvals revise ${APPROVAL}`,
    `toolbus approvals revise ${APPROVAL} --yes --comment "Make it high"`,
  ]);

  define(approvals, {
    name: "adopt",
    summary: "show what approvals finds in the store without a seal, and vouch for it",
    more:
      "Versions before the seals wrote none, and so does whoever else can write to the store. Asks for each; where there is no terminal, --yes is needed. " +
      "With --json it only lists, without --yes. What is forged is shown and never adopted. Takes a key that approvals knows as an operator's.",
    audience: "approvals",
    examples: ["toolbus approvals adopt", "toolbus approvals adopt --json"],
    run: async (context, command) =>
      (await import("../approvals/adopt-documents.ts")).adoptDocuments(context, command.opts<AdoptOptions>()),
  }).option("--yes", "adopt all that may be adopted, without asking");

  define(approvals, {
    name: "reseal",
    summary: "seal and sign what is stored again, with the key that is used now",
    more: "Between the second step of `keys rotate` and its end. Nothing changes but seals and signatures. Takes a key that approvals knows as an operator's.",
    audience: "approvals",
    examples: ["toolbus approvals reseal", "toolbus approvals reseal --json"],
    run: async (context) => (await import("../approvals/reseal-documents.ts")).resealDocuments(context),
  });
}
