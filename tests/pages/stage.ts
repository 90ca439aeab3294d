import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, statfsSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { freePort, type PrivateServer, type ServerKind, startPrivateServer } from "@toolbus/testing/servers";
import { type Program, startCommand } from "../e2e/testing/program.ts";
import { PASSING_JUNIT, scratch, type Scratch, taggedRepository } from "../e2e/testing/scratch.ts";
import { CTRL_C } from "./shell-fence.ts";
import { type Exported, patternOf, type Seen, type Step, type Typed, type Written } from "./steps.ts";
import { shownIds, type ShownIds } from "./shown-ids.ts";

/** The environment for the steps of one page: a copy of the checkout, terminals, and the servers that the page names. */
export interface Stage extends AsyncDisposable {
  /** Runs a step. Throws `NotAsThePageSays` if the result differs from the page. */
  act(step: Step): Promise<void>;
}

/** Thrown when a command's result differs from its page. */
export class NotAsThePageSays extends Error {
  override readonly name = "NotAsThePageSays";
  readonly expected: string;
  readonly shown: string;
  constructor(expected: string, shown: string) {
    super(`Expected ${expected}; it showed:\n${shown}`);
    this.expected = expected;
    this.shown = shown;
  }
}

/** The servers that pages name, by their default addresses. */
const SERVERS: readonly (readonly [address: string, kind: ServerKind])[] = [
  ["127.0.0.1:4222", "nats"],
  ["127.0.0.1:6379", "redis"],
  ["127.0.0.1:5672", "rabbitmq"],
];
/** The time limit of one step. Some steps start a system on two brokers. */
const DEADLINE_MS = 150_000;

/**
 * Opens a stage for one page. The stage maps the page's addresses to separate ports, so that it affects nothing else on this machine. It starts a
 * private server when a step first names one. Next to the checkout is `../shop`, a repository with the tags v1.4.0 and v1.5.0. The checkout contains
 * `report.xml`, test results for this repository. `toolbus` is on the path. `/srv` on the page is a folder of the stage.
 */
export async function openStage(root: string): Promise<Stage> {
  await using begun = new AsyncDisposableStack();
  const files: Scratch = scratch(quickFolder());
  begun.defer(() => files.remove());
  const folder = files.at("checkout");
  copyCheckout(root, folder);
  taggedRepository(files.at("shop"), ["v1.4.0", "v1.5.0"]);
  files.file("checkout/report.xml", PASSING_JUNIT);
  mkdirSync(files.at("bin"));
  symlinkSync(path.join(folder, "toolbus"), files.at("bin/toolbus"));

  const [gateway, approvals, releases, shop] = [await freePort(), await freePort(), await freePort(), await freePort()];
  /** Maps names on the page to the names that they have on this stage. */
  const here = new Map([
    ["127.0.0.1:8080", `127.0.0.1:${gateway}`],
    ["127.0.0.1:8081", `127.0.0.1:${approvals}`],
    ["127.0.0.1:4010", `127.0.0.1:${releases}`],
    ["--port 4010", `--port ${releases}`],
    ["--port 4020", `--port ${shop}`],
    ["/srv/", `${files.at("srv")}/`],
  ]);
  const env = {
    GATEWAY_PORT: String(gateway),
    APPROVALS_PORT: String(approvals),
    SHOP_URL: `http://127.0.0.1:${shop}`,
    TOOLBUS_URL: `http://127.0.0.1:${gateway}`,
    TOOLBUS_APPROVALS_URL: `http://127.0.0.1:${approvals}`,
    JWKS_URL: `http://127.0.0.1:${approvals}/.well-known/jwks.json`,
  };
  /** The program of each terminal. `exported` has the variables that were exported there. */
  const programs = new Map<string, Program>();
  const exported = new Map<string, string[]>();
  const ids: ShownIds = shownIds();
  begun.defer(async () => {
    for (const terminal of programs.keys()) await ctrlC(terminal);
  });
  const open = begun.move();
  return { act, [Symbol.asyncDispose]: () => open.disposeAsync() };

  async function act(step: Step): Promise<void> {
    switch (step.kind) {
      case "not-run":
        return;
      case "writes":
        return write(step);
      case "exports":
        await startServers(step.command);
        return remember(step);
      case "sees":
        return see(step);
      case "types":
        await startServers(step.command);
        return type(step);
    }
  }

  function write({ file, text }: Written): void {
    const content = asHere(text);
    // Later commands find the process that uses the file by the file's full path, which exists only on this stage.
    here.set(file, files.file(`checkout/${file}`, content));
  }

  function remember({ terminals, command }: Exported): void {
    for (const terminal of terminals) exported.set(terminal, [...(exported.get(terminal) ?? []), asHere(command)]);
  }

  async function see({ terminal, shows }: Seen): Promise<void> {
    const program = programs.get(terminal);
    if (!program) throw new NotAsThePageSays(shows, `(nothing runs in ${terminal})`);
    await says(program, shows);
  }

  async function type({ terminal, command, stays, exits, shows }: Typed): Promise<void> {
    await ctrlC(terminal);
    if (command === CTRL_C) return;
    // A program that runs until Ctrl-C replaces the shell if possible. Otherwise pkill would also match the shell, whose command line contains the
    // pattern.
    const line = ids.putInto(asHere(command));
    const lines = [`cd '${folder}'`, ...(exported.get(terminal) ?? []), "exec 2>&1", isSimple(line) ? `exec ${line}` : line];
    const searchPath = [files.at("bin"), ...systemPath()].join(path.delimiter);
    const program = startCommand("sh", ["-c", lines.join("\n")], { env, group: true, searchPath, deadlineMs: DEADLINE_MS });
    programs.set(terminal, program);
    if (stays) {
      if (shows !== null) await says(program, shows);
    } else {
      const { code, stdout } = await program.ended();
      if (code === null || !exits.includes(code)) throw new NotAsThePageSays(`exit code ${exits.join(" or ")}, not ${code}`, stdout);
      if (!patternOf(asHere(shows ?? "")).test(stdout)) throw new NotAsThePageSays(shows ?? "", stdout);
    }
    ids.see(program.stdout());
  }

  async function says(program: Program, shows: string): Promise<void> {
    try {
      await program.says(patternOf(asHere(shows)));
    } catch {
      throw new NotAsThePageSays(shows, program.stdout());
    }
  }

  /** Stops the program of the terminal, if it has one. */
  async function ctrlC(terminal: string): Promise<void> {
    const program = programs.get(terminal);
    program?.kill("SIGINT");
    await program?.ended();
  }

  async function startServers(command: string): Promise<void> {
    for (const [address, kind] of SERVERS) {
      if (!command.includes(address) || here.has(address)) continue;
      const server: PrivateServer = await startPrivateServer(kind);
      open.defer(() => server.remove());
      here.set(address, `${server.host}:${server.port}`);
    }
  }

  function asHere(text: string): string {
    return [...here].reduce((so, [there, name]) => so.replaceAll(there, name), text);
  }
}

function isSimple(line: string): boolean {
  return !/[|;&<>(]|^\w+=/.test(line);
}

/** Returns the search path that a new user has. It does not contain the programs of this checkout or the Node that runs this test. */
function systemPath(): readonly string[] {
  const folders = (process.env["PATH"] ?? "").split(path.delimiter);
  return folders.filter((folder) => !folder.includes("node_modules"));
}

/** The parts of a checkout that are not copied. The history is cloned and the packages are linked. The programs in the copy create the rest again. */
const LEFT_OUT: readonly string[] = [".git", ".toolbus", ".pnpm", ".cache"];

/**
 * Copies a checkout in its current state, including uncommitted changes, with its history and installed packages. Programs that run in the copy
 * change only the copy. Takes about a second.
 */
function copyCheckout(from: string, to: string): void {
  const git = (...args: readonly string[]): void => void execFileSync("git", args, { stdio: ["ignore", "ignore", "inherit"] });
  const history = existsSync(path.join(from, ".git"));
  if (history) git("clone", "--quiet", "--shared", "--no-checkout", from, to);
  cpSync(from, to, { recursive: true, verbatimSymlinks: true, filter: (file) => !LEFT_OUT.includes(path.basename(file)) });
  symlinkSync(path.join(from, "node_modules/.pnpm"), path.join(to, "node_modules/.pnpm"));
  if (history) git("-C", to, "reset", "--quiet");
}

const MEMORY = "/dev/shm";
/** The free space that a stage requires. A checkout and its page's output need much less. */
const NEEDED_BYTES = 2 * 2 ** 30;

/**
 * Returns a folder in memory if this machine has enough memory, and otherwise a folder for temporary files. A checkout has two thousand files, and a
 * disk may need a millisecond for each file.
 */
function quickFolder(): string {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize > NEEDED_BYTES ? MEMORY : tmpdir();
  } catch {
    return tmpdir();
  }
}
