import { spawn } from "node:child_process";
import { once } from "node:events";

/** Ends with this process, however that ends. */
export interface Guard {
  /** To be told before a process does anything: the leader of a process group. */
  watch(pid: number): Promise<void>;
  /** To be told once it is gone, because its number may be given to another. */
  forget(pid: number): Promise<void>;
  /** Kills what is still watched and removes the folder. Safe twice. */
  end(): Promise<void>;
}

// It reads what we tell it. The end of that, which also comes when this process is killed, is its call to work. Whoever was killed may take a
// moment to be gone, and could write into the folder until then.
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
 * Starts a small shell beside this process that kills the watched processes and removes the folder when this process is gone, by SIGKILL too.
 * It is in a session of its own, so that Ctrl-C at a terminal does not end it first. It does not keep this process from ending.
 *
 * `last` is a command with its arguments to be run then too.
 */
export function startGuard(folder: string, last: readonly string[] = []): Guard {
  const shell = spawn("/bin/sh", ["-c", SCRIPT, "sh", folder, ...last], { detached: true, stdio: ["pipe", "ignore", "ignore"] });
  shell.unref();
  const gone = once(shell, "exit");
  // A guard that cannot start or dies is found out by the next word to it.
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
