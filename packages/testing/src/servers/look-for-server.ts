import { startInContainer } from "./container-server.ts";
import type { TestEnvironment } from "./environment.ts";
import { greet } from "./greet.ts";
import type { PrivateServer } from "./private-server.ts";
import { startFromProgram } from "./program-server.ts";
import { localUrl, type ServerKind, serverKinds } from "./server-kinds.ts";
import { withoutPassword } from "./server-url.ts";
import type { ServerMissing, ServerSource, TestServer } from "./test-server.ts";

export interface LookOptions {
  /** The port of a server on this machine, if it is not the usual one. */
  readonly localPort?: number;
  readonly signal?: AbortSignal;
}

const GREETING_MS = 5_000;

/** Why one source has no server, as half a sentence. */
interface Refusal {
  readonly why: string;
}

/**
 * Returns the first server that answers. The order is: the server that the environment names, a server on its usual port of this machine, a private
 * one from the path, a private one in a container. If the environment names a server that does not answer, the search stops, because the user asked
 * for this server.
 */
export async function lookForServer(
  kind: ServerKind,
  environment: TestEnvironment,
  { localPort = serverKinds[kind].usualPort, signal }: LookOptions = {},
): Promise<TestServer | ServerMissing> {
  const { name, variable } = serverKinds[kind];
  const refusals: string[] = [];
  for (const source of environment.sources) {
    const found = await look(source);
    if (found === null) continue;
    if (!("why" in found)) return found;
    if (source === "environment") {
      return { kind, missing: `${name} of ${variable} cannot be used: ${found.why}`, remedy: `start that server, or unset ${variable}` };
    }
    refusals.push(found.why);
  }
  return { kind, missing: `${name} was not found: ${refusals.join("; ") || `${variable} is not set`}`, remedy: remedyFor(kind) };

  /** Returns null if this source does not apply. */
  async function look(source: ServerSource): Promise<TestServer | Refusal | null> {
    switch (source) {
      case "environment": {
        const url = environment.url(kind);
        return url === null ? null : answering(kind, source, url, signal);
      }
      case "local":
        return answering(kind, source, localUrl(kind, localPort), signal);
      case "private":
        return orRefusal(startFromProgram(kind, {}, environment, signal));
      case "container":
        return orRefusal(startInContainer(kind, {}, environment, signal));
    }
  }
}

async function answering(
  kind: ServerKind,
  source: "environment" | "local",
  url: string,
  signal?: AbortSignal,
): Promise<TestServer | Refusal> {
  const deadline = AbortSignal.any([AbortSignal.timeout(GREETING_MS), ...(signal ? [signal] : [])]);
  const greeting = await greet(kind, url, deadline);
  const { name, variable } = serverKinds[kind];
  const shown = withoutPassword(url);
  if (!greeting.ok) return { why: `${shown}: ${greeting.why}` };
  const whose = source === "environment" ? `named by ${variable}` : "already running on this machine";
  const described = `${name} ${greeting.version} at ${shown}, ${whose}`;
  return { kind, url, source, version: greeting.version, described };
}

/** Returns a server that runs until this process ends. If it does not start, returns the end of its log as the reason, and the search continues. */
async function orRefusal(starting: Promise<PrivateServer | Refusal>): Promise<TestServer | Refusal> {
  try {
    const started = await starting;
    if ("why" in started) return started;
    const { kind, url, source, version, described } = started;
    return { kind, url, source, version, described };
  } catch (error) {
    // The end of a log has several lines, but the reason becomes the name of a test.
    return { why: (error instanceof Error ? error.message : String(error)).replaceAll(/\s+/g, " ") };
  }
}

function remedyFor(kind: ServerKind): string {
  const { program, scheme, usualLogin, usualPort, variable } = serverKinds[kind];
  return `apt-get install ${program}, or start Docker, or set ${variable}=${scheme}//${usualLogin}127.0.0.1:${usualPort}`;
}
