import path from "node:path";
import type { ServerKind, ServerMissing, TestServer } from "@toolbus/testing/servers";
import { type Program, startProgram } from "../e2e/testing/program.ts";

const FIND_AND_STAY = path.join(import.meta.dirname, "find-and-stay.ts");

/** A separate process that finds a server. Each process searches only once. If it has started a server, the server ends with the process. */
export interface Finder {
  readonly program: Program;
  readonly found: TestServer | ServerMissing;
}

/**
 * Starts a search. The environment of the process has only our path and the given variables. The process, and a server that it has started, run until
 * the process is killed.
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
