import { type ChildProcess, spawn } from "node:child_process";
import { deserializeMessage, serializeMessage, type Transport } from "@modelcontextprotocol/client";
import { recentText } from "./recent-text.ts";

/** The longest line of a server, in bytes. It is the size of an honest result of 1 MiB as JSON text. */
export const MAX_LINE_BYTES = 4 * 1024 * 1024;
/** The number of bytes that may wait for a server that does not read. */
const MAX_UNSENT_BYTES = 8 * 1024 * 1024;
/** The number of bytes of standard error that are kept. */
const STDERR_BYTES = 64 * 1024;
/** The time that a server has to exit after the end of its input, in milliseconds. */
const END_MS = 500;

export interface StdioTransport extends Transport {
  readonly stderr: null;
  readonly pid: null;
  /** Returns the local reason why the transport ended, or null if there is none. */
  problem(): string | null;
  /** Returns the last line that the server wrote to standard error, truncated to fit a sentence. The line is empty if there is none. */
  lastWords(): string;
}

/**
 * Returns a transport over the standard input and output of a server. The server's process leads its own process group, which is killed as a whole
 * when the transport closes. If this process dies for any reason, a watchdog within the group kills the group. The server receives only the given
 * environment. A line over `MAX_LINE_BYTES`, or input that the server does not read, closes the transport. The end of standard error is kept.
 */
export function stdioTransport({
  command,
  args,
  env,
  cwd,
}: {
  /** The absolute path of the program. */
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string | undefined;
}): StdioTransport {
  const stderr = recentText(STDERR_BYTES);
  let child: ChildProcess | null = null;
  let closed = false;
  let problem: string | null = null;
  const transport: StdioTransport = {
    // From these two properties, the SDK concludes that this is a pipe. On a pipe, silence after the newer handshake means an older server.
    stderr: null,
    pid: null,
    start,
    send,
    close,
    problem: () => problem,
    lastWords: () => stderr.lastLine(),
  };
  return transport;

  async function start(): Promise<void> {
    const started = spawn("/bin/sh", ["-c", GUARDED, command, ...args], {
      env: { ...env },
      cwd,
      detached: true,
      stdio: ["pipe", "pipe", "pipe", "pipe"],
    });
    child = started;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    started.once("spawn", resolve);
    started.once("error", reject);
    // A pipe whose other end has closed emits an error. The cause is reported when the process ends.
    for (const stream of started.stdio) stream?.on("error", () => undefined);
    started.stderr?.on("data", (chunk: Buffer) => stderr.add(chunk));
    readLines(started);
    started.once("exit", () => end(null));
    await promise;
  }

  function readLines(started: ChildProcess): void {
    let pieces: Buffer[] = [];
    let bytes = 0;
    started.stdout?.on("data", (chunk: Buffer) => {
      if (closed) return;
      let from = 0;
      for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, from)) {
        pieces.push(chunk.subarray(from, at));
        from = at + 1;
        const line = Buffer.concat(pieces);
        pieces = [];
        bytes = 0;
        if (line.length > MAX_LINE_BYTES) return end(tooLong());
        take(line.toString());
        if (closed) return;
      }
      const rest = chunk.subarray(from);
      pieces.push(rest);
      bytes += rest.length;
      if (bytes > MAX_LINE_BYTES) end(tooLong());
    });
  }

  /** Handles one line. Skips a line that is not a message, because some servers log to standard output. */
  function take(line: string): void {
    if (line.trim() === "") return;
    let message;
    try {
      message = deserializeMessage(line);
    } catch {
      transport.onerror?.(new Error("It wrote a line to standard output that is not an MCP message."));
      return;
    }
    transport.onmessage?.(message);
  }

  async function send(message: Parameters<Transport["send"]>[0]): Promise<void> {
    const stdin = child?.stdin;
    if (closed || !stdin?.writable) throw new Error("The server's process has ended.");
    if (stdin.writableLength > MAX_UNSENT_BYTES) {
      end(new Error("It does not read what it is sent."));
      throw new Error("The server does not read what it is sent.");
    }
    // The transport does not wait for the write. If the server does not read, the deadline of its call applies.
    stdin.write(serializeMessage(message));
  }

  async function close(): Promise<void> {
    end(null);
  }

  function end(error: Error | null): void {
    if (closed) return;
    closed = true;
    problem = error?.message ?? null;
    if (error) transport.onerror?.(error);
    if (child) stopGroup(child, error === null ? END_MS : 0);
    transport.onclose?.();
  }
}

/**
 * The watchdog reads descriptor 3, whose other end only this process has. When that end closes, the watchdog kills the group, including itself. The server
 * replaces the shell and never sees the descriptor.
 */
const GUARDED = '( read -r _ <&3; kill -KILL 0 ) >/dev/null 2>&1 & exec "$0" "$@" 3<&-';

function stopGroup(child: ChildProcess, afterMs: number): void {
  const { pid, stdin, stdout, stderr } = child;
  if (pid === undefined) return;
  stdin?.end();
  const kill = (): void => {
    try {
      process.kill(-pid, "SIGKILL");
    } catch {
      // The whole group has ended.
    }
    stdout?.destroy();
    stderr?.destroy();
    child.stdio[3]?.destroy();
  };
  if (afterMs === 0 || child.exitCode !== null || child.signalCode !== null) return kill();
  const timer = setTimeout(kill, afterMs);
  child.once("exit", () => {
    clearTimeout(timer);
    kill();
  });
}

function tooLong(): Error {
  return new Error(`It sent a line of more than ${MAX_LINE_BYTES / 1024 / 1024} MiB.`);
}
