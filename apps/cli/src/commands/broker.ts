import type { Command } from "commander";
import type { PoliciesOptions } from "../broker/broker-policies.ts";
import type { Define } from "../toolbus/command.ts";
import { group } from "./group.ts";

/** `toolbus broker …`: what whoever keeps the broker sets there, because Toolbus cannot. */
export function addBroker(program: Command, define: Define): void {
  const broker = group(program, "broker", "print what whoever keeps the broker sets there");

  define(broker, {
    name: "policies",
    summary: "print the policies of a RabbitMQ, or the streams of a NATS, with their limits",
    more:
      "Namespace and virtual host come from the bus's URL; no password of it is printed, and nothing is changed. Without --check no broker is asked. With " +
      "it RabbitMQ's management plugin is, where the URL says management=…, and what differs is printed, with exit code 1.",
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
    .option("--check", "compare with what is set, and exit with 1 where it differs");
}
