import { randomBytes } from "node:crypto";

/** Returns a new name for the work of one run. The run's message contains it, so that both sides can name the work at the gate. */
export function newWork(): string {
  return `work-${randomBytes(8).toString("hex")}`;
}

/** Returns the name of the work that this text contains, or null. */
export function workIn(text: string): string | null {
  return /work-[0-9a-f]{16}/.exec(text)?.[0] ?? null;
}

/** The message that makes the agent call the slow read. */
export function readMessage(work: string): string {
  return `read_slowly ${JSON.stringify({ work })}`;
}

/** The message that makes the agent call the write, which waits for an approval. */
export function writeMessage(work: string): string {
  return `change_something ${JSON.stringify({ work })}`;
}

/** The message that makes the agent call the write on a thing that all runs share, which waits for an approval and then for its turn. */
export function sharedWriteMessage(work: string): string {
  return `change_shared ${JSON.stringify({ work })}`;
}
