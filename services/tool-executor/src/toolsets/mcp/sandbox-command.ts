import { execFile } from "node:child_process";
import { access, realpath } from "node:fs/promises";
import { promisify } from "node:util";
import { findCommand } from "./find-command.ts";
import type { Sandbox } from "./sandbox-config.ts";

/** A program with its arguments, and the directory in which it starts. */
export interface StartedCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
}

/**
 * Returns the command that runs a program in a sandbox of bubblewrap. The program has no network unless the sandbox permits it. It sees the system's
 * folders (read-only), its own file, the bound paths, and a `/tmp` of its own. It has its own processes, which end with this process. Rejects with an
 * Error whose message completes a sentence about the server, if bubblewrap does not exist or cannot make a sandbox here, or if a bound path does not
 * exist.
 */
export async function sandboxCommand(
  { command, args }: Pick<StartedCommand, "command" | "args">,
  { sandbox, cwd, searchPath }: { readonly sandbox: Sandbox; readonly cwd: string | undefined; readonly searchPath: string },
): Promise<StartedCommand> {
  const bwrap = await usableBwrap(sandbox, searchPath);
  for (const { path } of sandbox.bind)
    await access(path).catch(() => {
      throw new Error(`its "sandbox" binds ${path}, which does not exist or cannot be read: create it, or take it out of "bind"`);
    });
  const binds = sandbox.bind.flatMap(({ path, write }) => [write ? "--bind" : "--ro-bind", path, path]);
  return {
    command: bwrap,
    args: [
      ...namespaces(sandbox),
      ...[...SYSTEM, ...(sandbox.network ? NETWORK_FILES : [])].flatMap((path) => ["--ro-bind-try", path, path]),
      ...OWN_MOUNTS,
      ...(await programBinds(command)),
      ...binds,
      // The root is a folder in memory, which the program could fill.
      "--remount-ro",
      "/",
      "--chdir",
      cwd ?? "/tmp",
      "--",
      command,
      ...args,
    ],
    cwd: "/",
  };
}

/** The system's folders, and those files of `/etc` that programs need and that contain no secrets. Missing ones are left out. */
const SYSTEM = [
  "/usr",
  "/bin",
  "/sbin",
  "/lib",
  "/lib32",
  "/lib64",
  "/libx32",
  "/nix/store",
  "/etc/ld.so.cache",
  "/etc/ld.so.conf",
  "/etc/ld.so.conf.d",
  "/etc/alternatives",
  "/etc/localtime",
  "/etc/ssl/certs",
  "/etc/ssl/openssl.cnf",
  "/etc/ca-certificates",
  "/etc/pki/tls/certs",
  "/etc/pki/ca-trust",
  "/etc/passwd",
  "/etc/group",
  "/etc/nsswitch.conf",
];
const OWN_MOUNTS = ["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"];
const NAMESPACES = ["--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-uts", "--unshare-cgroup-try"];
const RIGHTS = ["--cap-drop", "ALL", "--die-with-parent"];
const NETWORK_FILES = ["/etc/resolv.conf", "/etc/hosts"];

function namespaces({ network }: Sandbox): readonly string[] {
  return [...NAMESPACES, ...(network ? [] : ["--unshare-net"]), ...RIGHTS];
}

/** Binds the program's file if it is not in one of the system's folders, under its own name and under the name that a symbolic link refers to. */
async function programBinds(command: string): Promise<readonly string[]> {
  const real = await realpath(command);
  return [...new Set([real, command])].filter((path) => !isOfSystem(path)).flatMap((path) => ["--ro-bind", real, path]);
}

function isOfSystem(path: string): boolean {
  return SYSTEM.some((folder) => path.startsWith(`${folder}/`));
}

const runFile = promisify(execFile);
/** The time limit of the trial, which takes about 10 ms. */
const TRIAL_MS = 5000;

/** Returns the path of bubblewrap after it has made such a sandbox. The trial is made each time, because an administrator may change the limits. */
async function usableBwrap(sandbox: Sandbox, searchPath: string): Promise<string> {
  const bwrap = await findCommand("bwrap", { searchPath, cwd: "/" });
  if (bwrap === null)
    throw new Error('its sandbox needs the program bwrap: install the package bubblewrap, or take "sandbox" out of its entry');
  const trial = [...namespaces(sandbox), "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "--", bwrap, "--version"];
  await runFile(bwrap, trial, { timeout: TRIAL_MS, killSignal: "SIGKILL", env: {} }).catch((error: unknown) => {
    throw new Error(
      `its sandbox cannot start here (${lastLine(error)}): permit user namespaces on this machine, or take "sandbox" out of its entry`,
      { cause: error },
    );
  });
  return bwrap;
}

function lastLine(error: unknown): string {
  const said = error instanceof Error && "stderr" in error ? String(error.stderr).trim() : "";
  return (said.split("\n").at(-1) || "bwrap did not answer").replace(/[\u0000-\u001f]/g, " ").slice(0, 200);
}
