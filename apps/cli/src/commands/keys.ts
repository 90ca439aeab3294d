import type { Command } from "commander";
import type { KeysOptions } from "../keys/keys-command.ts";
import type { Define } from "../toolbus/command.ts";

/** `toolbus keys`: the keys of people, made without starting anything. */
export function addKeys(program: Command, define: Define): void {
  define(program, {
    name: "keys",
    summary: "make the keys of a user, an operator and an approver, or say where they are",
    more:
      "They lie in the data directory, as `toolbus start` makes them; keys that are there are kept. Services get files of hashes: the gateway's and the " +
      "approvals' can be written where those services read them, so that neither sees the other's.",
    audience: "gateway",
    examples: ["toolbus keys", "toolbus keys --show", "toolbus keys --json"],
    run: async (context, command) => (await import("../keys/keys-command.ts")).keys(context, command.opts<KeysOptions>()),
  })
    .option("--show", "print the keys themselves")
    .option("--gateway-file <file>", "also write the gateway's file of hashes here (GATEWAY_API_KEYS_FILE)")
    .option("--approvals-file <file>", "also write the approvals' file of hashes here (APPROVALS_API_KEYS_FILE)");
}
