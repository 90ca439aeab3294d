import { execFile } from "node:child_process";

/** Executes git in one repository. Every command only reads, asks for no input, and its output is bounded. */
export interface Git {
  /** Returns the output of a command that must succeed. Throws {@link GitFailed} if it fails, and the signal's reason when the signal aborts. */
  run(args: readonly string[], input?: string): Promise<Buffer>;
  /** Returns the output as text. */
  text(args: readonly string[]): Promise<string>;
  /** Returns the trimmed output of a query, or undefined if git answers that the object does not exist. */
  ask(args: readonly string[], input?: string): Promise<string | undefined>;
}

/** Git did not execute the command. `said` is the first line of git's own error text, in English. */
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
  /** The folder of the repository. For a view without attributes, the git directory itself. */
  readonly repository: string;
  /** The environment variables of this process. Git receives only the few that it needs. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  /**
   * The id of the empty tree, for a view without attributes. The attributes of a repository could declare source as binary and so hide its changes.
   */
  readonly emptyTree?: string;
}

/** Returns a runner of git for one repository. It uses no shell, and the repository's own settings cannot make git start another program. */
export function gitIn({ repository, environment, signal, emptyTree }: GitOptions): Git {
  const run = (args: readonly string[], input = "") =>
    new Promise<Buffer>((resolve, reject) => {
      const child = execFile(
        "git",
        ["-C", repository, ...(emptyTree === undefined ? [] : ["--bare"]), ...GUARDS, ...args],
        {
          env: { ...hardened(environment), ...(emptyTree === undefined ? {} : { GIT_ATTR_SOURCE: emptyTree }) },
          signal,
          killSignal: "SIGKILL",
          maxBuffer: MAX_OUTPUT,
          encoding: "buffer",
          windowsHide: true,
        },
        (error, output, said) => {
          if (!error) resolve(output);
          else if (signal.aborted) reject(new Error("Git was stopped.", { cause: signal.reason }));
          else reject(new GitFailed(reasonOf(error), said.toString("utf8").trim().split("\n")[0]?.slice(0, 200) ?? "", error));
        },
      );
      // If git exits early, the pipe closes and writing to it fails. The callback above already reports that git failed.
      child.stdin?.on("error", () => {});
      child.stdin?.end(input);
    });

  return {
    run,
    text: async (args) => (await run(args)).toString("utf8"),
    async ask(args, input) {
      try {
        return (await run(args, input)).toString("utf8").trim();
      } catch (error) {
        if (error instanceof GitFailed && error.reason === "refused") return undefined;
        throw error;
      }
    },
  };
}

// A patch of a very large release has about 20 MiB. More than this is not a release that anybody can review.
const MAX_OUTPUT = 48 * 1024 * 1024;

// A repository's own settings can name programs, such as a monitor, a pager or a signature checker. Reading history needs none of these programs.
const GUARDS = [
  "--no-pager",
  "--literal-pathspecs",
  "-c",
  "core.fsmonitor=false",
  "-c",
  "core.quotePath=true",
  "-c",
  "core.attributesFile=/dev/null",
  "-c",
  "diff.renameLimit=1000",
  "-c",
  "diff.algorithm=myers",
  "-c",
  "diff.orderFile=/dev/null",
  "-c",
  "log.follow=false",
  "-c",
  "log.showSignature=false",
  "-c",
  "log.mailmap=false",
  "-c",
  "i18n.logOutputEncoding=UTF-8",
];

/** The options for a view without attributes, and whether the history of the repository is incomplete. */
export interface ViewOptions extends GitOptions {
  readonly isShallow: boolean;
}

/** Returns the options for a view without attributes. A bare repository has no files with attributes, and newer git also reads none from commits. */
export async function withoutAttributes(options: GitOptions): Promise<ViewOptions> {
  // The folder is last, because its name may have line ends.
  const said = await gitIn(options).text(["rev-parse", "--is-shallow-repository", "--show-object-format", "--absolute-git-dir"]);
  const [shallow, format, ...directory] = said.replace(/\n$/, "").split("\n");
  // Git before 2.25 repeats the option that it does not know. It has no other format than SHA-1.
  const emptyTree = format === "sha256" ? EMPTY_TREES.sha256 : EMPTY_TREES.sha1;
  return { ...options, repository: directory.join("\n"), emptyTree, isShallow: shallow === "true" };
}

/** The ids of the empty tree, which every repository has. They follow from the format of ids, so git need not compute them. */
const EMPTY_TREES = {
  sha1: "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
  sha256: "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
} as const;

const PASSED_ON = ["PATH", "HOME", "XDG_CONFIG_HOME", "USERPROFILE", "SystemRoot", "SUDO_UID"];

function hardened(environment: GitOptions["environment"]): Record<string, string> {
  const env: Record<string, string> = {
    LC_ALL: "C",
    GIT_TERMINAL_PROMPT: "0",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_NO_REPLACE_OBJECTS: "1",
    // Git would fetch the missing objects of a partial clone, over any transport that the clone's settings name.
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
