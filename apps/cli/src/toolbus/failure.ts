import type { ExitCode } from "./exit-codes.ts";

/** The failure of a command, with its exit code. The message is one sentence with the remedy and is shown without a stack. */
export class Failure extends Error {
  override readonly name: string = "Failure";
  readonly exitCode: ExitCode;
  constructor(exitCode: ExitCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}
