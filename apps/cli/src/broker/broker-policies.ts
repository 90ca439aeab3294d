import { type BrokerSetup, brokerSetup } from "@toolbus/runtime";
import type { Output } from "../terminal/output.ts";
import { safeText } from "../terminal/safe-text.ts";
import { table } from "../terminal/table.ts";
import type { Context } from "../toolbus/context.ts";
import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";

export interface PoliciesOptions {
  readonly bus?: string;
  readonly check?: true;
}

/** Prints the policies to set on the broker of a bus. With `--check` it prints how the broker's policies differ from them. */
export async function brokerPolicies(context: Context, { bus, check }: PoliciesOptions): Promise<ExitCode> {
  const setup = setupOf(bus, context.around.env["BUS_URL"]);
  if (check) return compare(context, setup);
  const { output } = context;
  if (output.json) output.document(documentOf(setup));
  else print(output, setup);
  return EXIT.ok;
}

function setupOf(typed: string | undefined, inEnvironment: string | undefined): BrokerSetup {
  const url = typed ?? inEnvironment;
  if (!url) throw new Failure(EXIT.usage, "Name the bus with --bus or BUS_URL, such as amqp://host:5672/vhost.");
  const read = brokerSetup(url);
  if (read.ok) return read.setup;
  throw new Failure(EXIT.usage, typed === undefined ? read.reason : read.reason.replace(/^BUS_URL/, "--bus"));
}

function print(output: Output, setup: BrokerSetup): void {
  // For RabbitMQ, standard output contains only commands for a shell. So the sentence goes to standard error as a note.
  if (setup.broker === "rabbitmq") output.note(sentenceFor(setup));
  else output.lines([sentenceFor(setup)]);
  output.lines(linesOf(setup).map(safeText));
}

async function compare({ output, signal }: Context, setup: BrokerSetup): Promise<ExitCode> {
  const differences = setup.broker === "rabbitmq" ? await asked(setup, signal) : [];
  if (output.json) output.document({ broker: setup.broker, ok: differences.length === 0, differences });
  else if (differences.length > 0) output.lines(differences.map(safeText));
  else output.lines([setup.broker === "rabbitmq" ? "Every policy is set as it should be." : sentenceFor(setup)]);
  return differences.length === 0 ? EXIT.ok : EXIT.failed;
}

async function asked({ check }: Extract<BrokerSetup, { readonly broker: "rabbitmq" }>, signal: AbortSignal): Promise<readonly string[]> {
  if (check) {
    const differences = await check(signal);
    signal.throwIfAborted();
    return differences;
  }
  throw new Failure(
    EXIT.usage,
    "--check asks RabbitMQ's management plugin: add its percent-encoded address to the bus's URL, such as ?management=http%3A%2F%2Fhost%3A15672.",
  );
}

/**
 * Returns the setup as JSON. RabbitMQ accepts it as a definitions file and reads its `policies`. For NATS, `nats stream add --config`
 * accepts each of the `streams`.
 */
function documentOf(setup: BrokerSetup): object {
  switch (setup.broker) {
    case "memory":
      return { broker: setup.broker };
    case "rabbitmq": {
      const { check: _, ...rest } = setup;
      return rest;
    }
    case "nats":
      return setup;
  }
}

function sentenceFor(setup: BrokerSetup): string {
  switch (setup.broker) {
    case "memory":
      return "The bus in memory is part of its process: there is no broker, and nothing to set.";
    case "rabbitmq":
      return "Run these where rabbitmqctl reaches the broker. Until then nothing limits the length of a queue; everything else works.";
    case "nats":
      return "Toolbus makes these streams with their limits by itself: on NATS there is nothing for an operator to set.";
  }
}

function linesOf(setup: BrokerSetup): readonly string[] {
  switch (setup.broker) {
    case "memory":
      return [];
    case "rabbitmq":
      return setup.commands;
    case "nats":
      return table(
        ["STREAM", "AT MOST", "REPLICAS", "SUBJECTS"],
        setup.streams.map(({ name, subjects, max_bytes: bytes, num_replicas: replicas }) => [
          name,
          `${Math.floor(bytes / MEBIBYTE)} MiB`,
          String(replicas),
          subjects.join(", "),
        ]),
      );
  }
}

const MEBIBYTE = 1024 * 1024;
