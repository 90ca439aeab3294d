import { execFile } from "node:child_process";
import { mkdtemp, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import type { TestEnvironment } from "./environment.ts";
import { freePort } from "./free-port.ts";
import { type Guard, startGuard } from "./guard.ts";
import { type GuardedProcess, startGuarded } from "./guarded-process.ts";
import { natsRecipe } from "./nats-recipe.ts";
import { type Carrier, type PrivateServer, privateServer, type PrivateServerOptions } from "./private-server.ts";
import { programOnPath } from "./program.ts";
import { rabbitmqRecipe } from "./rabbitmq-recipe.ts";
import type { Place, Recipe } from "./recipe.ts";
import { redisRecipe } from "./redis-recipe.ts";
import { type ServerKind, serverKinds } from "./server-kinds.ts";

type Recipes = { readonly [Kind in ServerKind]: (program: string, options: PrivateServerOptions[Kind], place: Place) => Promise<Recipe> };

const recipes: Recipes = { redis: redisRecipe, rabbitmq: rabbitmqRecipe, nats: natsRecipe };

/** The number of attempts to start, each with other ports, if another process takes one of the ports. */
const TRIES = 3;
const LOG_LINES = 8;
/** The limit is long, because the program for operators needs seconds to start. */
const CONTROL_MS = 60_000;

/** Starts a private server from the program on the path. `why` says why this is impossible. Rejects if the start fails. */
export async function startFromProgram<Kind extends ServerKind>(
  kind: Kind,
  options: PrivateServerOptions[Kind],
  { searchPath }: Pick<TestEnvironment, "searchPath">,
  signal?: AbortSignal,
): Promise<PrivateServer | { readonly why: string }> {
  const program = programOnPath(serverKinds[kind].program, searchPath);
  if (program === null) return { why: `${serverKinds[kind].program} is not on the PATH` };
  for (let attempt = 1; ; attempt += 1) {
    try {
      const folder = await mkdtemp(path.join(tmpdir(), `toolbus-${kind}-`));
      const guard = startGuard(folder);
      const carrier = await carrierOf(guard, () => recipes[kind](program, options, { folder, searchPath, port: freePort }));
      return await privateServer(kind, carrier, signal);
    } catch (error) {
      if (attempt === TRIES || signal?.aborted || !isPortTaken(error)) throw error;
    }
  }
}

async function carrierOf(guard: Guard, cook: () => Promise<Recipe>): Promise<Carrier> {
  try {
    const recipe = await cook();
    if (recipe.companion) await startGuarded(recipe.companion, guard);
    return processCarrier(recipe, guard);
  } catch (error) {
    await guard.end();
    throw error;
  }
}

function processCarrier({ url, managementUrl, server, control }: Recipe, guard: Guard): Carrier {
  let running: GuardedProcess | null = null;
  const signalAll = (signal: NodeJS.Signals): void => running?.signalAll(signal);
  const kill = async (): Promise<void> => {
    signalAll("SIGKILL");
    await running?.ended();
  };
  return {
    source: "private",
    url,
    managementUrl,
    alive: async () => running?.running ?? false,
    async begin() {
      running = await startGuarded(server, guard);
    },
    async stop(graceMs) {
      const late = new AbortController();
      // A paused process cannot handle SIGTERM.
      signalAll("SIGCONT");
      running?.signal("SIGTERM");
      const timer = wait(graceMs, undefined, { signal: late.signal }).then(
        () => signalAll("SIGKILL"),
        () => undefined,
      );
      await running?.ended();
      late.abort();
      await timer;
    },
    kill,
    pause: async () => signalAll("SIGSTOP"),
    resume: async () => signalAll("SIGCONT"),
    async control(args) {
      if (!control) throw new Error("This server has no program for operators.");
      const { program, env, folder } = control;
      return (await promisify(execFile)(program, [...args], { cwd: folder, env: { ...env }, timeout: CONTROL_MS })).stdout;
    },
    async remove() {
      await kill();
      await guard.end();
    },
    lastWords: () => lastLines(server.logFile),
  };
}

async function lastLines(file: string): Promise<string> {
  const text = await readFile(file, "utf8").catch(() => "");
  return text.trim().split("\n").slice(-LOG_LINES).join("\n") || "(none)";
}

function isPortTaken(error: unknown): boolean {
  return error instanceof Error && /in use|eaddrinuse/i.test(error.message);
}
