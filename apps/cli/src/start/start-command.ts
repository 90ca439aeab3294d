import { runMain } from "@toolbus/runtime";
import type { Context } from "../toolbus/context.ts";
import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";
import { SELF } from "../toolbus/self.ts";
import { brokerFault, storeFault } from "../toolbus/server-addresses.ts";

/** The values of the command's own flags, as the user typed them. */
export interface StartValues {
  readonly bus?: string;
  readonly state?: string;
}

/** Starts every service and runs until a signal stops it. The services run in this process, as with `npm start`, or each in its own process. */
export async function start({ options, around, output }: Context, typed: StartValues): Promise<ExitCode> {
  if (output.json) throw new Failure(EXIT.usage, "start prints its addresses and keys as text: leave --json out.");
  if (options.timeoutMs !== null) throw new Failure(EXIT.usage, "start runs until it is stopped: leave --timeout out.");
  const servers = serversOf(typed, around.env);
  const { startCluster, startEmbedded } = await import("@toolbus/all-in-one");
  const common = {
    directory: options.dataDirectory,
    command: SELF,
    say: (text: string) => void (options.quiet || around.stdout.write(text)),
  };
  await runMain((signal) =>
    servers === null
      ? startEmbedded({ ...common, env: around.env, signal })
      : startCluster({
          ...common,
          ...servers,
          // The processes write to a pipe, so they cannot detect that a person reads their output.
          env: around.stderr.isTTY ? { LOG_FORMAT: "text", ...around.env } : around.env,
          tell: (text) => void around.stderr.write(text),
          monotonic: () => performance.now(),
          signal,
        }),
  );
  return process.exitCode === undefined ? EXIT.ok : EXIT.failed;
}

/** Returns the servers for separate processes, or null if all services run in this process. Throws a Failure for invalid flags. */
function serversOf(
  { bus, state }: StartValues,
  env: Readonly<Record<string, string | undefined>>,
): { readonly busUrl: string; readonly stateUrl: string } | null {
  if (bus === undefined && state === undefined) return null;
  const busUrl = bus ?? env["BUS_URL"];
  const stateUrl = state ?? env["STATE_URL"];
  if (!busUrl)
    throw usage("--state needs --bus: give the broker of the processes too, such as --bus amqp://127.0.0.1:5672, or set BUS_URL.");
  if (!stateUrl)
    throw usage(
      "--bus needs --state: give the store that the processes share too, such as --state redis://127.0.0.1:6379, or set STATE_URL.",
    );
  const fault =
    brokerFault(bus === undefined ? "BUS_URL" : "--bus", busUrl) ?? storeFault(state === undefined ? "STATE_URL" : "--state", stateUrl);
  if (fault !== null) throw usage(fault);
  return { busUrl, stateUrl };
}

const usage = (message: string): Failure => new Failure(EXIT.usage, message);
