import { randomUUID } from "node:crypto";
import { enableCompileCache } from "node:module";
import path from "node:path";
import { interrupts } from "../terminal/interrupts.ts";
import { safeText } from "../terminal/safe-text.ts";
import { EXIT } from "./exit-codes.ts";
import { Failure } from "./failure.ts";

// Users start the command line often, so its compiled code is cached in the system's temporary folder.
enableCompileCache();

const presses = interrupts(
  () => performance.now(),
  () => process.exit(EXIT.interrupted),
);
process.on("SIGINT", () => presses.signalled()).on("SIGTERM", () => presses.terminated());
// The parent process, which only finds the right Node, has exited, so nobody would forward a signal.
process.once("disconnect", () => presses.terminated());
process.channel?.unref();
// The reader of the output may stop early, as `head` does. Then the command has nothing left to print. A full disk is an error.
process.stderr.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? EXIT.ok : EXIT.failed));
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(EXIT.ok);
  process.stderr.write(`The standard output cannot be written (${error.code ?? "unknown"}).\n`, () => process.exit(EXIT.failed));
});

try {
  const { runCommandLine } = await import("./program.ts");
  process.exitCode = await runCommandLine(process.argv.slice(2), {
    env: process.env,
    cwd: process.cwd(),
    root: path.resolve(import.meta.dirname, "../../../.."),
    serviceAccountFolder: "/var/run/secrets/kubernetes.io/serviceaccount",
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    now: () => Date.now(),
    newId: randomUUID,
    interrupts: presses,
  });
} catch (error) {
  process.stderr.write(`${await sentenceFor(error)}\n`);
  process.exitCode = error instanceof Failure ? error.exitCode : EXIT.failed;
}
// An open standard input must not keep the process alive after the command has ended.
process.stdin.unref?.();

async function sentenceFor(error: unknown): Promise<string> {
  if (error instanceof Failure) return safeText(error.message);
  const { sentenceOf } = await import("@toolbus/runtime");
  return sentenceOf(error);
}
