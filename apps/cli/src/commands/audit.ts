import { CHAINS, type ChainKind } from "@toolbus/contracts";
import { type Command, Option } from "commander";
import type { ListAuditOptions } from "../audit/list-audit.ts";
import type { Define } from "../toolbus/command.ts";
import { group } from "./group.ts";
import { pageLimit } from "./page-limit.ts";
import { span } from "./span.ts";

const CALL = "rn_04_01K0AB5M0Y4T8J6W2Q9Z3C7D1E.1.0";

/** Declares `toolbus audit …`, `toolbus evidence` and `toolbus verify`, which show, export and check what approvals recorded. */
export function addAudit(program: Command, define: Define): void {
  const audit = group(program, "audit", "list and export who did what to which write");

  withChain(
    define(audit, {
      name: "list",
      summary: "list the records of the audit, newest first",
      more: "Needs an operator's key of approvals. A record appears a few seconds after its event.",
      audience: "approvals",
      examples: [
        "toolbus audit list",
        "toolbus audit list --event rejected --since 7d",
        "toolbus audit list --tool file_risk_report --json",
      ],
      run: async (context, command) => (await import("../audit/list-audit.ts")).listAudit(context, command.opts<ListAuditOptions>()),
    })
      .option("--since <time>", "only events of the last 30m, 12h or 7d", span)
      .option("--until <time>", "only events older than 30m, 12h or 7d", span)
      .option("--tool <name>", "only records of this tool")
      .option("--event <name>", "only this event, such as approved or rejected")
      .option("--approval <approval>", "only records of this approval")
      .option("--limit <number>", "how many, 1 to 100", pageLimit, 20)
      .option("--cursor <cursor>", "continue from the previous page"),
  );

  withChain(
    define(audit, {
      name: "export <file>",
      summary: "write the whole chain with its signed checkpoints and the public keys to a file",
      more: "`toolbus verify` checks a jsonl file. A csv file is for spreadsheets: a cell that a spreadsheet would run as a formula gets an apostrophe.",
      audience: "approvals",
      examples: ["toolbus audit export audit.jsonl", "toolbus audit export audit.csv --format csv"],
      run: async (context, command) => {
        const { exportAudit } = await import("../audit/export-audit.ts");
        return exportAudit(context, command.args[0] ?? "", command.opts<{ format: "jsonl" | "csv"; chain: ChainKind }>());
      },
    }).addOption(new Option("--format <format>", "the format of the file").choices(["jsonl", "csv"]).default("jsonl")),
  );

  withChain(
    define(audit, {
      name: "checkpoint",
      summary: "print the newest signed checkpoint, to keep it elsewhere",
      more: "`toolbus verify FILE --checkpoint KEPT` shows later whether an export still has everything up to it.",
      audience: "approvals",
      examples: ["toolbus audit checkpoint", "toolbus audit checkpoint --chain system"],
      run: async (context, command) =>
        (await import("../audit/newest-checkpoint.ts")).newestCheckpoint(context, command.opts<{ chain: ChainKind }>().chain),
    }),
  );

  define(program, {
    name: "evidence <call>",
    summary: "write everything that is known about a write into one file that can be checked offline",
    more:
      "The file has the arguments, so treat it as confidential. It needs operators' keys of approvals and of the gateway. " +
      "Parts that only the agent wrote are marked by `toolbus verify`.",
    audience: "approvals",
    examples: [`toolbus evidence ${CALL} --out evidence.json`, `toolbus evidence ap_${CALL}`],
    run: async (context, command) =>
      (await import("../audit/write-evidence.ts")).writeEvidence(context, command.args[0], command.opts<{ out?: string }>().out),
  }).option("--out <file>", "the file to write; standard output by default");

  define(program, {
    name: "verify <file>",
    summary: "check an evidence file or an export of the audit, offline, and name the broken link",
    more: "It needs no running Toolbus. Without --keys, it takes the public keys from the file, and so proves only that the file is whole under these keys.",
    audience: "approvals",
    examples: ["toolbus verify evidence.json --keys jwks.json", "toolbus verify audit.jsonl --checkpoint kept.json --json"],
    run: async (context, command) => {
      const { verifyFile } = await import("../audit/verify-file.ts");
      return verifyFile(context, command.args[0] ?? "", command.opts<{ keys?: string; checkpoint?: string }>());
    },
  })
    .option("--keys <file>", "the public keys of approvals that you trust: its JWKS, or a file of the services' keys")
    .option("--checkpoint <file>", "a checkpoint that you kept elsewhere; the export must have its record");
}

function withChain(command: Command): Command {
  return command.addOption(
    new Option("--chain <chain>", "the records of your tenant, or of events without a tenant (pins, the era)")
      .choices([...CHAINS])
      .default("tenant"),
  );
}
