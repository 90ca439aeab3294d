import { randomUUID } from "node:crypto";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import type { ContainerRuntimeClient, StartedTestContainer } from "testcontainers";
import { type ContainerRecipe, containerRecipes } from "./container-recipe.ts";
import type { TestEnvironment } from "./environment.ts";
import { freePort } from "./free-port.ts";
import { type Guard, startGuard } from "./guard.ts";
import { type Carrier, type PrivateServer, privateServer, type PrivateServerOptions } from "./private-server.ts";
import { programOnPath } from "./program.ts";
import { type ServerKind, serverKinds } from "./server-kinds.ts";

const LOG_LINES = 8;

/**
 * Starts a private server in a container, on a fixed port of the host, so that the address stays the same after a restart. `why` says that no
 * container runtime was found, or that the container could not be started. Rejects if the server does not answer.
 *
 * The container is removed when this process ends. Ryuk, the companion that `testcontainers` starts, removes it, and so does our own guard if a
 * `docker` command is on the path. So it is removed even if Ryuk is switched off (`TESTCONTAINERS_RYUK_DISABLED=true`).
 */
export async function startInContainer<Kind extends ServerKind>(
  kind: Kind,
  options: PrivateServerOptions[Kind],
  environment: Pick<TestEnvironment, "image" | "searchPath">,
  signal?: AbortSignal,
): Promise<PrivateServer | { readonly why: string }> {
  const client = await runtime();
  if (!client) return { why: "no container runtime answers" };
  const name = `toolbus-test-${randomUUID()}`;
  const guard = await containerGuard(name, environment.searchPath);
  const recipe = containerRecipes[kind](options);
  try {
    const container = await startContainer(kind, environment.image(kind), name, recipe);
    return await privateServer(kind, containerCarrier(kind, client, container, recipe, guard), signal);
  } catch (error) {
    await guard.end();
    signal?.throwIfAborted();
    return { why: `the container ${environment.image(kind)} did not start: ${error instanceof Error ? error.message : String(error)}` };
  }
}

/** Returns whether containers are available. */
export async function containerRuntimeAnswers(): Promise<boolean> {
  return (await runtime()) !== null;
}

async function runtime(): Promise<ContainerRuntimeClient | null> {
  // Imports the module only here, because it is large and most test processes do not need it.
  const { getContainerRuntimeClient } = await import("testcontainers");
  return getContainerRuntimeClient().catch(() => null);
}

async function startContainer(
  kind: ServerKind,
  image: string,
  name: string,
  { command, files, managementPort }: ContainerRecipe,
): Promise<StartedTestContainer> {
  const { GenericContainer, Wait } = await import("testcontainers");
  const ports = [serverKinds[kind].usualPort, ...(managementPort === null ? [] : [managementPort])];
  const bound = await Promise.all(ports.map(async (container) => ({ container, host: await freePort() })));
  const container = new GenericContainer(image)
    .withName(name)
    .withExposedPorts(...bound)
    // Only the server's own greeting shows that the server is ready.
    .withWaitStrategy(Wait.forAll([]));
  if (files.length > 0) container.withCopyContentToContainer([...files]);
  if (command) container.withCommand([...command]);
  return container.start();
}

function containerCarrier(
  kind: ServerKind,
  client: ContainerRuntimeClient,
  started: StartedTestContainer,
  { login, managementPort }: ContainerRecipe,
  guard: Guard,
): Carrier {
  const container = client.container.getById(started.getId());
  const alive = async (): Promise<boolean> => (await container.inspect()).State.Running;
  /** Returns whether the server runs and so can receive a request to exit. Resumes a paused container first. */
  const awake = async (): Promise<boolean> => {
    const { Running, Paused } = (await container.inspect()).State;
    if (Paused) await container.unpause();
    return Running;
  };
  const host = started.getHost();
  const { scheme, usualPort } = serverKinds[kind];
  let removed = false;
  return {
    source: "container",
    url: `${scheme}//${login}${host}:${started.getMappedPort(usualPort)}`,
    managementUrl: managementPort === null ? null : `http://guest:guest@${host}:${started.getMappedPort(managementPort)}`,
    alive,
    begin: async () => void (await container.start()),
    async stop(graceMs) {
      if (await awake()) await container.stop({ t: Math.ceil(graceMs / 1000) });
    },
    async kill() {
      if (!(await awake())) return;
      await container.kill();
      await container.wait();
    },
    pause: async () => void (await container.pause()),
    resume: async () => void (await container.unpause()),
    async control(args) {
      if (kind !== "rabbitmq") throw new Error("This server has no program for operators.");
      const { output, exitCode } = await started.exec(["rabbitmqctl", ...args]);
      if (exitCode !== 0) throw new Error(output);
      return output;
    },
    async remove() {
      if (removed) return;
      removed = true;
      await container.remove({ force: true, v: true });
      await guard.end();
    },
    lastWords: async () => (await text(await started.logs({ tail: LOG_LINES }))).trim(),
  };
}

async function containerGuard(name: string, searchPath: string): Promise<Guard> {
  const folder = await mkdtemp(path.join(tmpdir(), "toolbus-container-"));
  const docker = programOnPath("docker", searchPath);
  return startGuard(folder, docker === null ? [] : [docker, "rm", "--force", "--volumes", name]);
}
