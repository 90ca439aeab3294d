import { ROLES } from "@toolbus/contracts";
import { type Command, Option } from "commander";
import type { AddKeyOptions } from "../keys/add-key.ts";
import type { KeysOptions } from "../keys/keys-command.ts";
import type { RotateOptions } from "../keys/rotate-keys.ts";
import { span } from "./span.ts";
import type { Define } from "../toolbus/command.ts";

/** Declares `toolbus keys` and its subcommands, which make and manage the keys of people and services without starting a service. */
export function addKeys(program: Command, define: Define): void {
  const keys = define(program, {
    name: "keys",
    summary: "make the keys of people and of services, or print where they are",
    more:
      "They are in the data directory, as `toolbus start` makes them; existing keys are kept. Services get files with hashes of people's keys, a key " +
      "of their own to sign with, and the public halves of all. Copy what one service needs to where only it can read it, so that none sees another's keys.",
    audience: "gateway",
    examples: ["toolbus keys", "toolbus keys --toolsets orders --give worker.orders=/tmp/orders-keys", "toolbus keys --json"],
    run: async (context, command) => (await import("../keys/keys-command.ts")).keys(context, command.opts<KeysOptions>()),
  })
    .option("--show", "print the keys of people themselves")
    .option("--toolsets <names>", "these toolsets sign with keys of their own, separated by commas")
    .option("--give <service=folder>", "also copy what this service needs into a folder; repeat it for another service", collect)
    .option("--gateway-file <file>", "also write the gateway's hash file here (GATEWAY_API_KEYS_FILE)")
    .option("--approvals-file <file>", "also write the hash file of approvals here (APPROVALS_API_KEYS_FILE)");

  define(keys, {
    name: "rotate <service>",
    summary: "replace a service's key in two steps and a final one, each rolled out before the next",
    more:
      "First the services learn the new key, then they use it, then --finish removes the old one. Services: gateway, agent, approvals, approvals-seals, worker, " +
      "worker.<toolset>. docs/operations.md says what to wait for.",
    audience: "approvals",
    examples: ["toolbus keys rotate gateway", "toolbus keys rotate gateway --finish"],
    run: async (context, command) =>
      (await import("../keys/rotate-keys.ts")).rotateKeys(context, command.args[0] ?? "", command.opts<RotateOptions>()),
  }).option("--finish", "remove the old key");

  define(keys, {
    name: "add <name>",
    summary: "make one more key, limited to certain scopes and tools if you name them",
    more:
      "Its hash is added to the file of --to, the key itself goes into the data directory (--show prints it). The key fixes what its bearer may use: " +
      "their runs are not offered a tool that demands a scope it lacks or, with --tools, a tool that is not named. The roles alertmanager and releaser are " +
      "for programs: each may start investigations by its own webhook (docs/triggers.md) and do nothing else.",
    audience: "gateway",
    examples: [
      "toolbus keys add bo --role approver --expires 30d",
      "toolbus keys add alertmanager --role alertmanager --expires 365d",
      "toolbus keys add clerk --to keys.json --principal clerk:ada --scopes orders --tools orders web",
    ],
    // If "keys" has an option with the same name, commander assigns the value to "keys", so this command reads the options of both.
    run: async (context, command) =>
      (await import("../keys/add-key.ts")).addKey(context, command.args[0] ?? "", command.optsWithGlobals<AddKeyOptions>()),
  })
    .option("--to <file>", "the hash file that the service reads, made if it does not exist; by default that of a Toolbus on this machine")
    .addOption(new Option("--role <role>", "the role of its bearer").choices([...ROLES]).default("user"))
    .option("--principal <principal>", "the principal of its bearer; the name by default")
    .option("--tenant <tenant>", "the tenant of its bearer", "local")
    .option("--scopes <scope...>", "its scopes; by default none, an approver's key gets approve:*")
    .addOption(new Option("--scope <scope...>", "the same as --scopes").hideHelp())
    .option("--groups <group...>", "the groups of its bearer, by which a policy chooses approvers")
    .option("--tools <tool...>", "toolsets (release) and tools of one (release/get_release_summary) that it may use; all by default")
    .option("--expires <time>", "not accepted after, for example, 12h or 30d; by default it never expires", span)
    .addOption(new Option("--show", "print the key itself"));

  define(keys, {
    name: "list",
    summary: "list the keys of people and triggers by name: what each may use, and until when",
    audience: "gateway",
    examples: ["toolbus keys list", "toolbus keys list --json"],
    run: async (context, command) => (await import("../keys/list-keys.ts")).listKeys(context, command.opts<{ to?: string }>().to),
  }).option("--to <file>", "the hash file that a service reads; by default those of a Toolbus on this machine");

  define(keys, {
    name: "revoke <name>",
    summary: "revoke a key: services refuse it within seconds",
    audience: "gateway",
    examples: ["toolbus keys revoke bo", "toolbus keys revoke partner --to gateway/api-keys.json"],
    run: async (context, command) =>
      (await import("../keys/revoke-key.ts")).revokeKey(context, command.args[0] ?? "", command.opts<{ to?: string }>().to),
  }).option("--to <file>", "the hash file that a service reads; by default those of a Toolbus on this machine");
}

const collect = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];
