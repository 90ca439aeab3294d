import type { Command } from "commander";
import type { PoliciesOptions } from "../broker/broker-policies.ts";
import type { Define } from "../toolbus/command.ts";
import { group } from "./group.ts";

/** Declares `toolbus broker …`, which prints the settings that an operator must make on the broker because Toolbus cannot. */
export function addBroker(program: Command, define: Define): void {
  const broker = group(program, "broker", "print the settings that an operator makes on the broker");

  define(broker, {
    name: "policies",
    summary: "print the RabbitMQ policies, or the NATS streams, with their limits",
    more:
      "Namespace and virtual host come from the bus's URL; its password is not printed, and nothing is changed. Without --check the broker is not asked. With " +
      "it the command asks RabbitMQ's management plugin, if the URL says management=…, and prints the differences, with exit code 1.",
    audience: "gateway",
    examples: [
      "toolbus broker policies --bus amqp://broker/production",
      "toolbus broker policies --bus nats://broker:4222 --json",
      "BUS_URL=memory: toolbus broker policies",
    ],
    run: async (context, command) =>
      (await import("../broker/broker-policies.ts")).brokerPolicies(context, command.opts<PoliciesOptions>()),
  })
    .option("--bus <url>", "the bus (BUS_URL); other users of this machine can see a password in it while the command runs")
    .option("--check", "compare with the settings of the broker, and exit with 1 if they differ");
}
