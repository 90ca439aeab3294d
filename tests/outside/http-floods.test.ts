import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { residentMiB, watchMemory } from "./memory-of.ts";
import { type Program, START, startProgram } from "../e2e/testing/program.ts";
import { scratch, type Scratch } from "../e2e/testing/scratch.ts";

const LARGE = 50 * 1024 * 1024;
const MOST_MIB = 160;
const CONNECTIONS = 20;
const MOST_WAIT_MS = 5000;

describe.skipIf(process.platform !== "linux")("a client that floods (memory is read from /proc, so on Linux only)", () => {
  let files: Scratch;
  let program: Program;
  let gateway: URL;
  let user: string;
  let before: number;
  beforeAll(async () => {
    files = scratch();
    const env = {
      DATA_DIR: files.data(),
      GATEWAY_PORT: "0",
      APPROVALS_PORT: "0",
      RELEASE_API_URL: "http://127.0.0.1:9",
      LOG_LEVEL: "error",
    };
    program = startProgram(START, [], { env });
    gateway = new URL((await program.says(/^gateway +(\S+)$/m))[1] ?? "");
    user = (await program.says(/^user key +(\S+)$/m))[1] ?? "";
    await (await fetch(new URL("/openapi.json", gateway))).text();
    before = residentMiB(program.pid);
  });
  afterAll(async () => {
    await program[Symbol.asyncDispose]();
    files.remove();
  });

  it.each([
    ["with a stated length", true],
    ["of unknown length", false],
  ])("with a body of 50 MB %s is cut off with a 413, and costs no memory for it", async (what, says) => {
    const memory = watchMemory(program.pid);
    const status = await post(says);
    const peak = memory.end();
    process.stdout.write(`a body of 50 MB ${what}: ${before} MiB before all floods, ${peak} MiB at the most\n`);
    expect(["HTTP/1.1 413", "closed"]).toContain(status);
    expect(peak - before).toBeLessThan(MOST_MIB);
  });

  it("with requests whose answers it does not read loses its connection, while others are answered", async () => {
    const memory = watchMemory(program.pid);
    const sockets = Array.from({ length: CONNECTIONS }, () => unread("GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n".repeat(1000)));
    let slowest = 0;
    for (let asked = 0; asked < 20; asked++) {
      const began = performance.now();
      expect((await fetch(new URL("/healthz", gateway))).status).toBe(200);
      slowest = Math.max(slowest, Math.round(performance.now() - began));
    }
    await Promise.all(sockets.map(({ closed }) => closed));
    const peak = memory.end();
    process.stdout.write(
      `20,000 requests on ${CONNECTIONS} connections that are not read: ${before} MiB before all floods, ${peak} MiB at the most; /healthz within ${slowest} ms\n`,
    );
    expect(peak - before).toBeLessThan(MOST_MIB);
    // The margin is wide, because other programs may use the machine at the same time.
    expect(slowest).toBeLessThan(MOST_WAIT_MS);
  });

  /** Opens a connection that reads nothing until the server closes it. */
  function unread(text: string): { readonly closed: Promise<void> } {
    const socket: Socket = connect(Number(gateway.port), gateway.hostname);
    const closed = new Promise<void>((resolve) => void socket.once("close", () => resolve()));
    // A client that does not read must write to notice that the server closed the connection.
    const asks = setInterval(() => socket.write(" "), 50);
    void closed.then(() => clearInterval(asks));
    socket.on("error", () => undefined).pause();
    socket.write(text);
    return { closed };
  }

  /**
   * Sends a POST with a large body, until the server stops reading it. Returns the status line, or "closed". If the client is still writing when the
   * server closes the connection, it may not see the answer.
   */
  async function post(saysItsLength: boolean): Promise<string> {
    const socket = connect(Number(gateway.port), gateway.hostname);
    socket.on("error", () => undefined);
    const length = saysItsLength ? `Content-Length: ${LARGE}` : "Transfer-Encoding: chunked";
    socket.write(
      `POST /v1/conversations HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${user}\r\nContent-Type: application/json\r\n${length}\r\n\r\n`,
    );
    const piece = Buffer.concat([
      ...(saysItsLength ? [] : [Buffer.from("10000\r\n")]),
      Buffer.alloc(65_536, "x"),
      ...(saysItsLength ? [] : [Buffer.from("\r\n")]),
    ]);
    let sent = 0;
    const more = (): void => {
      if (socket.destroyed || sent >= LARGE) return;
      sent += piece.length;
      socket.write(piece, (error) => (error ? undefined : more()));
    };
    more();
    let answer = "";
    socket.setEncoding("latin1").on("data", (text: string) => (answer += text));
    await new Promise((resolve) => void socket.once("close", resolve));
    return /^HTTP\/1\.1 \d+/.exec(answer)?.[0] ?? "closed";
  }
});
