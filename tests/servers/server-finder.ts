import path from "node:path";
import type { ServerKind, ServerMissing, TestServer } from "@toolbus/testing/servers";
import { type Program, startProgram } from "../e2e/testing/program.ts";

const FIND_AND_STAY = path.join(import.meta.dirname, "find-and-stay.ts");

/** A separate process that searches for a server. A process searches only once, and a server that it starts ends with it. */
export interface Finder {
  readonly program: Program;
  readonly found: TestServer | ServerMissing;
}

/**
 * Starts a search. The process has only our path and the given variables in its environment. It and the server that it started run until the process
 * is killed.
 */
export async function startFinder(kind: ServerKind, env: Readonly<Record<string, string>>): Promise<Finder> {
  const program = startProgram(FIND_AND_STAY, [kind], { env, typedTo: true });
  return { program, found: foundIn((await program.says(/^\{.*\}$/m))[0]) };
}

/** Searches once, and waits until the process has ended. */
export async function findOnce(
  kind: ServerKind,
  env: Readonly<Record<string, string>>,
): Promise<{ readonly found: TestServer | ServerMissing; readonly said: string }> {
  await using program = startProgram(FIND_AND_STAY, [kind], { env });
  const { stdout, stderr } = await program.ended();
  return { found: foundIn(stdout), said: stderr };
}

function foundIn(line: string): TestServer | ServerMissing {
  return JSON.parse(line) as TestServer | ServerMissing;
}
