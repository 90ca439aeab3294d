import type { Interrupts } from "../terminal/interrupts.ts";

/** What a command stands on: everything that it takes from its process. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Where Toolbus itself lies. */
  readonly root: string;
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly now: () => number;
  readonly newId: () => string;
  readonly interrupts: Interrupts;
}
