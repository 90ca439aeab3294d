import type { Command } from "commander";
import type { PermissionsOptions } from "../permissions/permissions-command.ts";
import type { Define } from "../toolbus/command.ts";

/** Declares `toolbus permissions`, which makes a separate login for each service on the broker and in the store. */
export function addPermissions(program: Command, define: Define): void {
  define(program, {
    name: "permissions",
    summary: "make a login for each service, with the rights that it needs and no others",
    more:
      "Writes users with their rights for the broker and for Redis, and for each service a file with its BUS_URL and STATE_URL. Existing logins keep " +
      "their passwords. Without --apply, no server is contacted: load the files there, then run --set-up, then --check. --bus and --state default to those in the folder, and " +
      "with --kubernetes at first to the servers of deploy/k8s.",
    audience: "gateway",
    examples: [
      "toolbus permissions --bus amqp://broker --state redis://redis --toolsets release,web",
      "toolbus permissions --check --json",
      "toolbus permissions --kubernetes --bus nats://nats:4222 > secrets.yaml",
    ],
    run: async (context, command) =>
      (await import("../permissions/permissions-command.ts")).permissions(context, command.opts<PermissionsOptions>()),
  })
    .option("--out <folder>", "where the files are written (default: permissions in the data directory)")
    .option("--bus <url>", "the bus (BUS_URL); a login in it is left out")
    .option("--state <url>", "the state store (STATE_URL); a login in it is left out")
    .option("--namespace <name>", "the namespace of both, if their addresses do not name one")
    .option("--toolsets <names>", "toolsets with a worker each, separated by commas (default release; operations is always there)")
    .option("--agents <names>", "agents, separated by commas (default default)")
    .option("--rotate", "make new passwords; give them to the services and load the files on the servers at the same time")
    .option("--kubernetes", "also make missing keys, and print the Secrets for deploy/k8s, for kubectl apply -f -")
    .option("--apply", "with --kubernetes, in a pod: create the Secrets in its namespace; if any exists, change nothing")
    .option("--set-up", "create what services expect on the servers: exchanges and queues, or streams, and the store's record")
    .option("--check", "test with each login what it may and may not do, in a scratch namespace, and exit with 1 if it differs");
}
