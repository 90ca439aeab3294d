import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync, statSync } from "node:fs";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { approve, call, follow, heldApproval, look, startRun } from "./testing/http-client.ts";
import { type Program, START, startProgram } from "./testing/program.ts";
import { filedIn, scratch, type Scratch } from "./testing/scratch.ts";

interface Printed {
  readonly gateway: string;
  readonly approvals: string;
  readonly user: string;
  readonly operator: string;
  readonly approver: string;
  readonly releaseId: string;
  /** The line that starts an investigation. */
  readonly curl: string;
}

describe("npm start", () => {
  let files: Scratch;
  let program: Program;
  let printed: Printed;
  beforeAll(async () => {
    files = scratch();
    program = start(files.at("shared"), { GATEWAY_HOTS: "nobody reads it", LLM_PROVDER: "nobody", TOOLBUS_ULR: "nobody" });
    printed = await printedBy(program);
  });
  afterAll(async () => {
    await program[Symbol.asyncDispose]();
    files.remove();
  });

  function start(data: string, env: Readonly<Record<string, string>> = {}): Program {
    return startProgram(START, [], { env: { DATA_DIR: data, GATEWAY_PORT: "0", APPROVALS_PORT: "0", ...env } });
  }

  it("names misspelt variables with the intended setting, and not their values", () => {
    expect(program.stderr()).toContain("GATEWAY_HOTS is not a setting of this process and is not read: was GATEWAY_HOST meant?");
    expect(program.stderr()).toContain("LLM_PROVDER is not a setting of this process and is not read: was LLM_PROVIDER meant?");
    expect(program.stderr()).toContain("TOOLBUS_ULR is not a setting of this process and is not read: was TOOLBUS_URL meant?");
    expect(program.stderr()).not.toContain("nobody");
  });

  it("prints two addresses, three keys and a command that starts an investigation", async () => {
    expect(printed.gateway).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(printed.approvals).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(printed.approvals).not.toBe(printed.gateway);
    expect(printed).toMatchObject({
      user: expect.stringMatching(/^tb_user_/),
      operator: expect.stringMatching(/^tb_operator_/),
      approver: expect.stringMatching(/^tb_approver_/),
    });

    expect(printed.curl).toContain(printed.gateway);
    expect(printed.curl).not.toContain(printed.user);
    const { status, runId } = await runPrinted(printed);
    expect(status).toBe(202);
    expect(await heldApproval(printed, runId)).toBe(`ap_${runId}.1.0`);
    expect((await call(`${printed.approvals}/v1/approvals`, printed.approver)).body).toMatchObject({
      approvals: [{ runId, status: "pending" }],
    });
  });

  it("keeps its keys in files of mode 0600 that contain what was printed", () => {
    for (const role of ["user", "operator", "approver"] as const) {
      const file = files.at("shared", "keys", `${role}.key`);
      expect(statSync(file).mode & 0o777, `the key of the ${role}`).toBe(0o600);
      expect(readFileSync(file, "utf8").trim()).toBe(printed[role]);
    }
    for (const name of ["approvals-signing.jwk", "receipts-signing.jwk", "gateway-api-keys.json", "approvals-api-keys.json"]) {
      expect(statSync(files.at("shared", "keys", name)).mode & 0o777, `the file ${name}`).toBe(0o600);
    }
    expect(statSync(files.at("shared", "keys")).mode & 0o777).toBe(0o700);
  });

  it.skipIf(process.platform !== "linux")("listens on loopback only (read from /proc, so on Linux only)", () => {
    const listening = listeningAddresses(program.pid);
    expect(listening.map(({ port }) => port)).toEqual(expect.arrayContaining([portOf(printed.gateway), portOf(printed.approvals)]));
    expect(listening.filter(({ host }) => host !== "127.0.0.1")).toEqual([]);
  });

  const elsewhere = Object.values(networkInterfaces())
    .flat()
    .find((address) => address && !address.internal && address.family === "IPv4")?.address;
  it.skipIf(!elsewhere)("refuses connections to this machine's other addresses (skipped if it has none)", async () => {
    for (const url of [printed.gateway, printed.approvals]) {
      expect(await connectOutcome(elsewhere ?? "", portOf(url))).toBe("ECONNREFUSED");
    }
  });

  it.each([
    { signal: "SIGTERM", code: 0 },
    { signal: "SIGKILL", code: null },
  ] as const)(
    "continues a run that waits for its approver after a $signal, with the same keys, and files once",
    async ({ signal, code }) => {
      const data = files.data();
      await using first = start(data);
      const before = await printedBy(first);
      const runId = await startRun(before, before.releaseId);
      const approvalId = await heldApproval(before, runId);
      first.kill(signal);
      const ended = await first.ended();
      // Without tags, a long history has no change to judge, and the log says that the call of the tool for it failed.
      const said = ended.stderr
        .trimEnd()
        .split("\n")
        .filter((line) => !line.includes('"tool":"get_code_changes"'));
      expect({ code: ended.code, said }).toEqual({
        code,
        said: [expect.stringContaining("a run began"), expect.stringContaining("a write asked for a grant")],
      });
      expect(filedIn(data)).toEqual([]);

      await using second = start(data);
      const { user, operator, approver } = before;
      const after = { ...(await printedBy(second)), user, operator, approver };
      expect(second.stdout(), "keys are shown once").not.toMatch(/tb_(user|operator|approver)_/);
      expect(second.stdout()).toContain(path.join(data, "keys"));
      expect((await runPrinted(after)).status, "the printed line also works at a later start").toBe(202);
      expect(await look(after, approvalId)).toMatchObject({ status: "pending" });
      await approve(after, approvalId);
      expect((await follow(after, runId)).at(-1)).toMatchObject({ type: "run.completed", report: { filing: { status: "filed" } } });
      expect(filedIn(data)).toHaveLength(1);
    },
  );
});

async function printedBy(program: Program): Promise<Printed> {
  await program.says(/Stop with Ctrl-C/);
  const text = program.stdout();
  const field = (pattern: RegExp): string => pattern.exec(text)?.[1] ?? "";
  return {
    gateway: field(/^gateway +(\S+)$/m),
    approvals: field(/^approvals +(\S+)$/m),
    user: field(/^user key +(\S+)/m),
    operator: field(/^operator key +(\S+)/m),
    approver: field(/^approver key +(\S+)/m),
    releaseId: field(/"releaseId":"([^"]+)"/),
    curl: field(/^ *(curl -s \S+\/v1\/investigations .*)$/m),
  };
}

/** Runs the printed command line, as a person who pastes it would. On a machine without curl, it sends the same request itself. */
async function runPrinted(printed: Printed): Promise<{ readonly status: number; readonly runId: string }> {
  if (spawnSync("curl", ["--version"]).status !== 0) {
    const { status, body } = await call(`${printed.gateway}/v1/investigations`, printed.user, { releaseId: printed.releaseId });
    return { status, runId: (body as { readonly runId: string }).runId };
  }
  const { stdout } = spawnSync("sh", ["-c", `${printed.curl} --noproxy '*' --max-time 20 -w '\\n%{http_code}'`], { encoding: "utf8" });
  const [body = "", status] = stdout.split(/\n(?=\d+$)/);
  return { status: Number(status), runId: (JSON.parse(body) as { readonly runId: string }).runId };
}

const portOf = (url: string): number => Number(new URL(url).port);

interface Listening {
  readonly host: string;
  readonly port: number;
}

/** Returns the TCP sockets on which a process listens. It reads the kernel's tables. */
function listeningAddresses(pid: number): readonly Listening[] {
  const own = new Set(readdirSync(`/proc/${pid}/fd`).flatMap((fd) => /(?<=socket:\[)\d+/.exec(targetOf(`/proc/${pid}/fd/${fd}`)) ?? []));
  return ["tcp", "tcp6"].flatMap((table) =>
    readFileSync(path.join("/proc", String(pid), "net", table), "utf8")
      .split("\n")
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
      .filter((fields) => fields[3] === LISTEN && own.has(fields[9] ?? ""))
      .map((fields) => addressIn(fields[1] ?? "")),
  );
}

const LISTEN = "0A";

/** Returns the target of a file descriptor's link. Returns an empty text if the descriptor was closed meanwhile. */
function targetOf(link: string): string {
  try {
    return readlinkSync(link);
  } catch {
    return "";
  }
}

/** Parses an address such as `0100007F:1F90`, which is 127.0.0.1:8080. An IPv6 address stays unchanged, because the test expects none. */
function addressIn(text: string): Listening {
  const [host = "", port = ""] = text.split(":");
  const bytes = host.match(/../g) ?? [];
  return {
    host:
      bytes.length === 4
        ? bytes
            .toReversed()
            .map((byte) => Number.parseInt(byte, 16))
            .join(".")
        : host,
    port: Number.parseInt(port, 16),
  };
}

function connectOutcome(host: string, port: number): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: 5000 });
    const end = (outcome: string): void => {
      socket.destroy();
      resolve(outcome);
    };
    socket.once("connect", () => end("connected"));
    socket.once("timeout", () => end("timeout"));
    socket.once("error", (error: NodeJS.ErrnoException) => end(error.code ?? error.message));
  });
}
