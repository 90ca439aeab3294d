import { spawn } from "node:child_process";
import { once } from "node:events";

/** A watcher that cleans up when this process ends, for whatever reason. */
export interface Guard {
  /** Watches a process. Use it before the process does anything. The process must be the leader of a process group. */
  watch(pid: number): Promise<void>;
  /** Stops watching a process. Use it when the process has exited, because its number may be reused. */
  forget(pid: number): Promise<void>;
  /** Kills the processes that are still watched and removes the folder. Safe to call twice. */
  end(): Promise<void>;
}

// The shell reads our commands until this process closes the pipe or is killed, and then cleans up. A killed process may take a moment to die, and
// could write into the folder until then.
const SCRIPT = `
pids=" "
while read -r verb pid; do
  case $verb in
    watch) pids="$pids$pid " ;;
    forget) case $pids in *" $pid "*) pids="\${pids%% $pid *} \${pids#* $pid }" ;; esac ;;
  esac
done
for pid in $pids; do kill -s KILL -- "-$pid"; done
for pid in $pids; do
  tries=0
  while kill -s 0 -- "-$pid" && [ $tries -lt 50 ]; do sleep 0.1; tries=$((tries + 1)); done
done
rm -rf -- "$1"
shift
"$@"
`;

/**
 * Starts a small shell beside this process. When this process has ended, even by SIGKILL, the shell kills the watched processes and removes the
 * folder. The shell has a separate session, so that Ctrl-C at a terminal does not end it first. The shell does not keep this process alive.
 *
 * `last` is a command with its arguments that the shell executes at the end.
 */
export function startGuard(folder: string, last: readonly string[] = []): Guard {
  const shell = spawn("/bin/sh", ["-c", SCRIPT, "sh", folder, ...last], { detached: true, stdio: ["pipe", "ignore", "ignore"] });
  shell.unref();
  const gone = once(shell, "exit");
  // If the guard could not start or has died, the next write to it fails.
  gone.catch(() => undefined);
  shell.stdin.on("error", () => undefined);
  const tell = (words: string): Promise<void> =>
    new Promise((resolve, reject) => {
      shell.stdin.write(`${words}\n`, (error) => (error ? reject(error) : resolve()));
    });
  return {
    watch: (pid) => tell(`watch ${pid}`),
    forget: (pid) => tell(`forget ${pid}`),
    async end() {
      shell.ref();
      shell.stdin.end();
      await gone;
    },
  };
}
