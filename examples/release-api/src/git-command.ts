import { execFile } from "node:child_process";

/** Executes git in one repository. Every command only reads, asks for no input and outputs at most 32 MiB. */
export interface Git {
  /** Returns the output of a command that must succeed. Throws {@link GitFailed} if it fails, and the signal's error when the signal aborts. */
  run(args: readonly string[]): Promise<string>;
  /**
   * Returns the output of a query. Returns undefined if git answers that the answer is "no" or that the object does not exist. Throws as `run` does
   * if git could not answer.
   */
  ask(args: readonly string[]): Promise<string | undefined>;
}

/** Git did not execute the command. `said` is git's own error text, in English. */
export class GitFailed extends Error {
  readonly reason: "refused" | "not_installed" | "too_much_output";
  readonly said: string;

  constructor(reason: GitFailed["reason"], said: string, cause: unknown) {
    super(`git failed (${reason}): ${said}`, { cause });
    this.name = "GitFailed";
    this.reason = reason;
    this.said = said;
  }
}

export interface GitOptions {
  readonly repository: string;
  /** The environment variables of this process. Git receives only the few that it needs to find its programs and its user's settings. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}

/** Returns a runner of git for one repository. The runner uses no shell, and the repository's own settings cannot make git start another program. */
export function gitIn({ repository, environment, signal }: GitOptions): Git {
  const run = (args: readonly string[]) =>
    new Promise<string>((resolve, reject) => {
      const child = execFile(
        "git",
        ["-C", repository, ...GUARDS, ...args],
        { env: hardened(environment), signal, killSignal: "SIGKILL", maxBuffer: MAX_OUTPUT, encoding: "utf8", windowsHide: true },
        (error, output, said) => {
          if (!error) resolve(output);
          else
            reject(signal.aborted ? new Error("Git was stopped.", { cause: error }) : new GitFailed(reasonOf(error), said.trim(), error));
        },
      );
      // If git does not start or exits early, the pipe closes and writing to it fails. The callback above already reports that git failed.
      child.stdin?.on("error", () => {});
      child.stdin?.end();
    });

  return {
    run,
    async ask(args) {
      try {
        return (await run(args)).trim();
      } catch (error) {
        if (error instanceof GitFailed && error.reason === "refused") return undefined;
        throw error;
      }
    },
  };
}

const MAX_OUTPUT = 32 * 1024 * 1024;

// A repository's own settings can name programs, such as a monitor, a pager or a signature checker. Reading history needs none of these programs.
const GUARDS = ["--no-pager", "-c", "core.fsmonitor=false", "-c", "log.showSignature=false", "-c", "i18n.logOutputEncoding=UTF-8"];

// SUDO_UID lets git accept the repository of the user who used sudo. Git receives no other variables. Above all, it does not receive the GIT_DIR that
// a calling hook sets.
const PASSED_ON = ["PATH", "HOME", "XDG_CONFIG_HOME", "USERPROFILE", "SystemRoot", "SUDO_UID"];

function hardened(environment: GitOptions["environment"]): Record<string, string> {
  const env: Record<string, string> = {
    LC_ALL: "C",
    GIT_TERMINAL_PROMPT: "0",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_NO_REPLACE_OBJECTS: "1",
    // Git would fetch the missing objects of a partial clone, over any transport that the clone's settings name. This variable makes git read only
    // from disk.
    GIT_NO_LAZY_FETCH: "1",
    GIT_ALLOW_PROTOCOL: "none",
  };
  for (const name of PASSED_ON) {
    const value = environment[name];
    if (value !== undefined) env[name] = value;
  }
  return env;
}

function reasonOf(error: { code?: unknown }): GitFailed["reason"] {
  if (error.code === "ENOENT") return "not_installed";
  return error.code === "ERR_CHILD_PROCESS_STDIO_MAXBUFFER" ? "too_much_output" : "refused";
}
