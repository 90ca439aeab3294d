import { PassThrough } from "node:stream";
import { interrupts } from "../terminal/interrupts.ts";
import type { Surroundings } from "../toolbus/surroundings.ts";

/** Returns the surroundings of a process for a test, in a folder that does not exist. `said` returns the output since its last call. */
export function surroundingsUnderTest(env: Readonly<Record<string, string>> = {}) {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const presses = interrupts(
    () => 0,
    () => undefined,
  );
  const around: Surroundings = {
    env,
    cwd: "/nowhere",
    root: "/nowhere",
    serviceAccountFolder: "/nowhere",
    stdin: stdin as unknown as NodeJS.ReadStream,
    stdout: stdout as unknown as NodeJS.WriteStream,
    stderr: stderr as unknown as NodeJS.WriteStream,
    now: () => 0,
    newId: () => "an-id",
    interrupts: presses,
  };
  return { around, said: () => ({ out: String(stdout.read() ?? ""), err: String(stderr.read() ?? "") }) };
}
