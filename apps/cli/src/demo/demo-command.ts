import type { Context } from "../toolbus/context.ts";
import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";
import { SELF } from "../toolbus/self.ts";
import { demoArgumentsOf, type DemoValues } from "./arguments.ts";

/**
 * Runs the demo with the flags that the user typed. Throws a Failure for invalid flags and for an interruption. After an
 * interruption the same command continues.
 */
export async function demo({ around, output, options, signal }: Context, typed: DemoValues): Promise<ExitCode> {
  if (options.quiet)
    throw new Failure(EXIT.usage, "The demo is meant to be watched: leave --quiet out, or use --json for the outcome alone.");
  const read = demoArgumentsOf(typed, `${SELF} demo --help`);
  if (!read.ok) throw new Failure(EXIT.usage, read.message);
  if (!output.json) around.stdout.write("Toolbus demo: an agent investigates a release; its one write waits for a person.\n");
  // The heavy import follows the first line of output, as in `npm run demo`.
  const { runDemo } = await import("./run-demo.ts");
  const { root, cwd, env, stdin, stdout } = around;
  try {
    return await runDemo(read.args, { root, cwd, env, input: stdin, output: stdout, signal });
  } catch (error) {
    if (!signal.aborted) throw error;
    const reason: unknown = signal.reason;
    throw reason instanceof Failure && reason.exitCode === EXIT.timedOut
      ? new Failure(EXIT.timedOut, "The --timeout has passed. Run the same command to continue.")
      : new Failure(EXIT.interrupted, "Interrupted. Run the same command to continue.");
  }
}
