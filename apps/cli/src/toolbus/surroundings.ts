import type { Interrupts } from "../terminal/interrupts.ts";

/** The surroundings of a command: everything that it uses from its process. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** The folder of Toolbus itself. */
  readonly root: string;
  /** The folder in which Kubernetes mounts the token of the pod, if it has one. */
  readonly serviceAccountFolder: string;
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly now: () => number;
  readonly newId: () => string;
  readonly interrupts: Interrupts;
}
