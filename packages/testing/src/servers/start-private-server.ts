import { containerRuntimeAnswers, startInContainer } from "./container-server.ts";
import { readEnvironment } from "./environment.ts";
import type { PrivateServer, PrivateServerOptions } from "./private-server.ts";
import { programOnPath } from "./program.ts";
import { startFromProgram } from "./program-server.ts";
import { type ServerKind, serverKinds } from "./server-kinds.ts";
import type { ServerMissing } from "./test-server.ts";

/**
 * Starts a private server, from the program on the path or else in a container. Rejects with a sentence that says what is missing, or with the end of
 * the log if the server did not start.
 */
export async function startPrivateServer<Kind extends ServerKind>(
  kind: Kind,
  options: PrivateServerOptions[Kind] = {},
  signal?: AbortSignal,
): Promise<PrivateServer> {
  const environment = readEnvironment();
  const reasons: string[] = [];
  for (const [source, start] of [
    ["private", startFromProgram],
    ["container", startInContainer],
  ] as const) {
    if (!environment.sources.includes(source)) continue;
    const started = await start(kind, options, environment, signal);
    if (!("why" in started)) return started;
    reasons.push(started.why);
  }
  const { missing, remedy } = missingFor(kind, reasons);
  throw new Error(`${missing}. To enable: ${remedy}`);
}

/** Returns why no server of this kind can start on this machine, or null if one probably can. Starts nothing. */
export async function missingPrivateServer(kind: ServerKind): Promise<ServerMissing | null> {
  const { sources, searchPath } = readEnvironment();
  const { program } = serverKinds[kind];
  const reasons: string[] = [];
  if (sources.includes("private")) {
    if (programOnPath(program, searchPath) !== null) return null;
    reasons.push(`${program} is not on the PATH`);
  }
  if (sources.includes("container")) {
    if (await containerRuntimeAnswers()) return null;
    reasons.push("no container runtime answers");
  }
  return missingFor(kind, reasons);
}

function missingFor(kind: ServerKind, reasons: readonly string[]): ServerMissing {
  const { name, program } = serverKinds[kind];
  const why = reasons.length === 0 ? "TEST_SERVERS names neither private nor container" : reasons.join("; ");
  return { kind, missing: `A private ${name} cannot be started: ${why}`, remedy: `apt-get install ${program}, or start Docker` };
}
