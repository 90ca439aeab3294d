import { runMain } from "@toolbus/runtime";
import type { Context } from "../toolbus/context.ts";
import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";

/** Starts everything in this process until it is told to stop: what `npm start` does, the same signals included. */
export async function start({ options, around, output }: Context): Promise<ExitCode> {
  if (output.json) throw new Failure(EXIT.usage, "start prints its addresses and keys as text: leave --json out.");
  if (options.timeoutMs !== null) throw new Failure(EXIT.usage, "start runs until it is stopped: leave --timeout out.");
  const { startEmbedded } = await import("@toolbus/all-in-one");
  await runMain((signal) =>
    startEmbedded({
      directory: options.dataDirectory,
      env: around.env,
      signal,
      say: (text) => void (options.quiet || around.stdout.write(text)),
    }),
  );
  return process.exitCode === undefined ? EXIT.ok : EXIT.failed;
}
