import type { Command } from "commander";
import type { Define } from "../toolbus/command.ts";
import type { CheckUpgradeOptions } from "../upgrade/check-upgrade.ts";
import { group } from "./group.ts";

/** Declares `toolbus upgrade …`, which compares what two versions write and read. No server is contacted. */
export function addUpgrade(program: Command, define: Define): void {
  const upgrade = group(program, "upgrade", "compare what two versions of Toolbus write and read");

  define(upgrade, {
    name: "manifest",
    summary: "print the messages, documents and signed tokens that this build writes and reads",
    more: "Each has a version, its schema, and the services that write and read it. docs/compatibility.json is this manifest.",
    audience: "gateway",
    examples: ["toolbus upgrade manifest", "toolbus upgrade manifest --json"],
    run: async (context) => (await import("../upgrade/show-manifest.ts")).showManifest(context),
  });

  define(upgrade, {
    name: "check",
    summary: "say whether processes of two versions may run side by side",
    more: "Exits with 1 and one sentence for each message, document or token that one version cannot read. --to defaults to this build.",
    audience: "gateway",
    examples: ["toolbus upgrade check --from docs/compatibility.json", "toolbus upgrade check --from docs/compatibility.json --json"],
    run: async (context, command) =>
      (await import("../upgrade/check-upgrade.ts")).checkUpgrade(context, command.opts<CheckUpgradeOptions>()),
  })
    .requiredOption("--from <file>", "the manifest of the older version")
    .option("--to <file>", "the manifest of the newer version (default: this build)");
}
