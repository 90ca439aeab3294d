import type { Command } from "commander";
import type { PermissionsOptions } from "../permissions/permissions-command.ts";
import type { Define } from "../toolbus/command.ts";

/** `toolbus permissions`: a login of its own for each service, on the broker and in the store. */
export function addPermissions(program: Command, define: Define): void {
  define(program, {
    name: "permissions",
    summary: "make a login for each service, with the rights that it needs and no others",
    more:
      "Writes users with their rights for the broker and for Redis, and for each service a file with its BUS_URL and STATE_URL. Logins that are there keep " +
      "their passwords. No server is asked: load the files there, then run --set-up, then --check. Without --bus and --state the folder's own are taken.",
    audience: "gateway",
    examples: [
      "toolbus permissions --bus amqp://broker --state redis://redis --toolsets release,web",
      "toolbus permissions --set-up",
      "toolbus permissions --check --json",
    ],
    run: async (context, command) =>
      (await import("../permissions/permissions-command.ts")).permissions(context, command.opts<PermissionsOptions>()),
  })
    .option("--out <folder>", "where the files lie (default: permissions in the data directory)")
    .option("--bus <url>", "the bus (BUS_URL); a login in it is left out")
    .option("--state <url>", "the state store (STATE_URL); a login in it is left out")
    .option("--namespace <name>", "the namespace of both, where their addresses name none")
    .option("--toolsets <names>", "toolsets with a worker each, with commas between them (default release; operations is always there)")
    .option("--agents <names>", "agents, with commas between them (default default)")
    .option("--rotate", "make new passwords; services need theirs, and the servers their files, at the same time")
    .option("--set-up", "make what services find on the servers: exchanges and queues, or streams, and the store's record")
    .option("--check", "try with each login what it may and may not do, in a scratch namespace, and exit with 1 where it differs");
}
