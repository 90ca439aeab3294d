import type { ExitCode } from "./exit-codes.ts";

/** Why a command failed: one sentence with the remedy, shown without a stack, and the exit code. */
export class Failure extends Error {
  override readonly name: string = "Failure";
  readonly exitCode: ExitCode;
  constructor(exitCode: ExitCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}
