import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { AnswerTooLarge, ValidationError } from "../model-errors.ts";

export interface ProgramRun {
  /** The whole path of the program. */
  readonly program: string;
  readonly args: readonly string[];
  /** The whole environment of the program. */
  readonly environment: Readonly<Record<string, string>>;
  /** The text for standard input. After this text, standard input is closed. */
  readonly input: string;
  /** The deadline of the program. An earlier abort ends the program too. */
  readonly signal: AbortSignal;
}

/** The end of a program, with its output. */
export interface ProgramEnd {
  readonly code: number | null;
  readonly killedBy: NodeJS.Signals | null;
  readonly stdout: string;
  /** The last bytes of standard error. */
  readonly stderr: string;
}

/** The maximum output. `runProgram` ends a program that writes more. */
export const MAX_OUTPUT_BYTES = 1024 * 1024;
const STDERR_TAIL_BYTES = 4096;
// The time from SIGTERM to SIGKILL.
const GRACE_MS = 1000;

/**
 * Runs a program to its end, without a shell, as the leader of its own process group. All processes of the group end with it. Rejects with the
 * signal's reason after the group has ended (SIGTERM first, SIGKILL a second later). Rejects with `ValidationError` if the program cannot be started,
 * and with `AnswerTooLarge` if it writes more than `MAX_OUTPUT_BYTES`.
 */
export async function runProgram({ program, args, environment, input, signal }: ProgramRun): Promise<ProgramEnd> {
  signal.throwIfAborted();
  const child = spawn(program, args, {
    env: environment,
    detached: true,
    shell: false,
    stdio: ["pipe", "pipe", "pipe"],
    windowsHide: true,
  });
  const { promise, resolve, reject } = Promise.withResolvers<ProgramEnd>();
  const out: Buffer[] = [];
  let size = 0;
  let errors = Buffer.alloc(0);
  let failure: { readonly why: unknown } | null = null;
  let grace: NodeJS.Timeout | undefined;
  const end = (why: unknown): void => {
    if (failure !== null) return;
    failure = { why };
    endGroup(child, "SIGTERM");
    grace = setTimeout(() => {
      endGroup(child, "SIGKILL");
      // A process that left the group may leave the pipes open for ever.
      child.stdout.destroy();
      child.stderr.destroy();
    }, GRACE_MS);
  };
  const onAbort = (): void => end(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  child.stdout.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size <= MAX_OUTPUT_BYTES) out.push(chunk);
    else end(new AnswerTooLarge(`is over ${MAX_OUTPUT_BYTES} bytes`, "Make the command print only the JSON object."));
  });
  child.stderr.on("data", (chunk: Buffer) => (errors = Buffer.concat([errors, chunk]).subarray(-STDERR_TAIL_BYTES)));
  // The program may exit without reading its input.
  child.stdin.on("error", () => undefined);
  child.stdin.end(input);
  child.once("error", (error: NodeJS.ErrnoException) => {
    if (child.pid === undefined) reject(notStarted(program, error));
  });
  child.once("exit", () => endGroup(child, "SIGTERM"));
  child.once("close", (code, killedBy) => {
    if (failure === null) resolve({ code, killedBy, stdout: Buffer.concat(out).toString("utf8"), stderr: errors.toString("utf8") });
    // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- the signal's own reason, whatever it is
    else reject(failure.why);
  });
  try {
    return await promise;
  } finally {
    clearTimeout(grace);
    signal.removeEventListener("abort", onAbort);
  }
}

function endGroup({ pid }: ChildProcessWithoutNullStreams, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // The group has no process left.
  }
}

function notStarted(program: string, { code }: NodeJS.ErrnoException): ValidationError {
  const why =
    code === "ENOENT"
      ? "it does not exist"
      : code === "EACCES"
        ? "it may not be run"
        : code === "E2BIG"
          ? "its arguments are too long"
          : (code ?? "unknown");
  return new ValidationError(`The program ${JSON.stringify(program)} could not be started (${why}): check LLM_CLI_COMMAND.`);
}
