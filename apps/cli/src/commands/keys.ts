import { ROLES } from "@toolbus/contracts";
import { type Command, Option } from "commander";
import type { AddKeyOptions } from "../keys/add-key.ts";
import type { KeysOptions } from "../keys/keys-command.ts";
import type { RotateOptions } from "../keys/rotate-keys.ts";
import { span } from "./span.ts";
import type { Define } from "../toolbus/command.ts";

/** `toolbus keys`, `keys add` and `keys rotate`: the keys of people and services, made without starting anything. */
export function addKeys(program: Command, define: Define): void {
  const keys = define(program, {
    name: "keys",
    summary: "make the keys of people and of services, or say where they are",
    more:
      "They lie in the data directory, as `toolbus start` makes them; keys that are there are kept. Services get files of hashes of people's keys, a key " +
      "of their own to sign with, and the public halves of all. What one service needs is copied to where it alone reads it, so that none sees another's.",
    audience: "gateway",
    examples: ["toolbus keys", "toolbus keys --toolsets orders --give worker.orders=/tmp/orders-keys", "toolbus keys --json"],
    run: async (context, command) => (await import("../keys/keys-command.ts")).keys(context, command.opts<KeysOptions>()),
  })
    .option("--show", "print the keys of people themselves")
    .option("--toolsets <names>", "these toolsets sign with keys of their own, separated by commas")
    .option("--give <service=folder>", "also copy what this service needs into a folder; again for another one", collect)
    .option("--gateway-file <file>", "also write the gateway's file of hashes here (GATEWAY_API_KEYS_FILE)")
    .option("--approvals-file <file>", "also write the approvals' file of hashes here (APPROVALS_API_KEYS_FILE)");

  define(keys, {
    name: "rotate <service>",
    summary: "replace a service's key in two steps and an end, each rolled out before the next",
    more:
      "First the new key is known, then it is used, then with --finish the old one goes. Services: gateway, agent, approvals, approvals-seals, worker, " +
      "worker.<toolset>. docs/operations.md says what to wait for.",
    audience: "approvals",
    examples: ["toolbus keys rotate gateway", "toolbus keys rotate gateway --finish"],
    run: async (context, command) =>
      (await import("../keys/rotate-keys.ts")).rotateKeys(context, command.args[0] ?? "", command.opts<RotateOptions>()),
  }).option("--finish", "the old key goes");

  define(keys, {
    name: "add <name>",
    summary: "make one more key, for certain scopes and tools if it is not to have all",
    more:
      "Its hash is added to the file of --to, the key itself goes into the data directory (--show prints it). What its bearer may use is fixed in the key: " +
      "their runs are offered no tool that demands a scope it lacks and, with --tools, none of another toolset. The roles alertmanager and releaser are " +
      "for programs: each may start investigations by its own webhook (docs/triggers.md) and do nothing else.",
    audience: "gateway",
    examples: [
      "toolbus keys add bo --role approver --expires 30d",
      "toolbus keys add alertmanager --role alertmanager --expires 365d",
      "toolbus keys add clerk --to keys.json --principal clerk:ada --scopes orders --tools orders web",
    ],
    // What has the name of an option of "keys" is read as that one.
    run: async (context, command) =>
      (await import("../keys/add-key.ts")).addKey(context, command.args[0] ?? "", command.optsWithGlobals<AddKeyOptions>()),
  })
    .option(
      "--to <file>",
      "the file of hashes that the service reads, made where there is none; by default the one of a Toolbus on this machine",
    )
    .addOption(new Option("--role <role>", "what its bearer is").choices([...ROLES]).default("user"))
    .option("--principal <principal>", "who its bearer is; the name by default")
    .option("--tenant <tenant>", "whose tenant that is", "local")
    .option("--scopes <scope...>", "the scopes that it has; by default none, an approver's approve:*")
    .option("--tools <tool...>", "toolsets (release) and tools of one (release/get_release_summary) that it may use; all by default")
    .option("--expires <time>", "not accepted any more after 12h or 30d; by default it stays", span)
    .addOption(new Option("--show", "print the key itself"));

  define(keys, {
    name: "list",
    summary: "list the keys of people and triggers by name: what each may use, and for how long",
    audience: "gateway",
    examples: ["toolbus keys list", "toolbus keys list --json"],
    run: async (context, command) => (await import("../keys/list-keys.ts")).listKeys(context, command.opts<{ to?: string }>().to),
  }).option("--to <file>", "the file of hashes that a service reads; by default those of a Toolbus on this machine");

  define(keys, {
    name: "revoke <name>",
    summary: "take a key away: services refuse it within seconds",
    audience: "gateway",
    examples: ["toolbus keys revoke bo", "toolbus keys revoke partner --to gateway/api-keys.json"],
    run: async (context, command) =>
      (await import("../keys/revoke-key.ts")).revokeKey(context, command.args[0] ?? "", command.opts<{ to?: string }>().to),
  }).option("--to <file>", "the file of hashes that a service reads; by default those of a Toolbus on this machine");
}

const collect = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];
