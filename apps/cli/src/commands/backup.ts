import type { Command } from "commander";
import type { RestoreOptions } from "../backup/restore-backup.ts";
import type { Define } from "../toolbus/command.ts";

/** Declares `toolbus backup` and `toolbus restore`, for a Toolbus whose state is in SQLite. */
export function addBackup(program: Command, define: Define): void {
  define(program, {
    name: "backup <folder>",
    summary: "copy the SQLite store and the keys of a Toolbus, which may run meanwhile",
    more:
      "The copy is the store at one moment, and is checked. The folder must be new or empty. It contains the keys, so protect it like the data " +
      'directory. The store is that of STATE_URL, or of the data directory. Copy a Redis with "redis-cli --rdb": docs/backup.md.',
    audience: "approvals",
    examples: ["toolbus backup backups/monday", "toolbus backup /mnt/backups/monday --data /var/lib/toolbus --json"],
    run: async (context, command) => (await import("../backup/make-backup.ts")).makeBackup(context, command.args[0] ?? ""),
  });

  define(program, {
    name: "restore <folder>",
    summary: "restore a copy of the SQLite store while Toolbus is stopped, raise the era and list the held writes",
    more:
      "Everything after the copy is lost. So grants become void, and no write begins that could not be repeated safely, until an operator runs " +
      '"toolbus era resume". Keys that the data directory has stay. It is refused while a Toolbus uses the store.',
    audience: "approvals",
    examples: ["toolbus restore backups/monday --data restored", "toolbus restore backups/monday --replace --json"],
    run: async (context, command) =>
      (await import("../backup/restore-backup.ts")).restoreBackup(context, command.args[0] ?? "", command.opts<RestoreOptions>()),
  }).option("--replace", "put the store that is there aside, beside the restored one");
}
