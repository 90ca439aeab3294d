import type { Context } from "../toolbus/context.ts";
import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";
import { SELF } from "../toolbus/self.ts";
import { demoArgumentsOf, type DemoValues } from "./arguments.ts";
import { headline, nextRun } from "./headline.ts";

/**
 * Runs the demo with the flags that the user typed. Throws a Failure for invalid flags and for an interruption. After an interruption the user can
 * run the same command again to continue.
 */
export async function demo({ around, output, signal }: Context, typed: DemoValues): Promise<ExitCode> {
  const read = demoArgumentsOf(typed, `${SELF} demo --help`);
  if (!read.ok) throw new Failure(EXIT.usage, read.message);
  if (!output.json) around.stdout.write(`${headline(read.args)}\n`);
  // The large module is imported after the first line of output, as in `npm run demo`.
  const { orders } = read.args;
  const { runDemo } = orders === null ? await import("./run-demo.ts") : await import("../orders-demo/run-orders-demo.ts");
  const { root, cwd, env, stdin, stdout } = around;
  try {
    return await runDemo(read.args, { root, cwd, env, input: stdin, output: stdout, signal });
  } catch (error) {
    if (!signal.aborted) throw error;
    const reason: unknown = signal.reason;
    throw reason instanceof Failure && reason.exitCode === EXIT.timedOut
      ? new Failure(EXIT.timedOut, `The --timeout has passed. ${nextRun(read.args)}`)
      : new Failure(EXIT.interrupted, `Interrupted. ${nextRun(read.args)}`);
  }
}
