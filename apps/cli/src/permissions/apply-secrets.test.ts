import { mkdtempDisposable, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { once } from "node:events";
import os from "node:os";
import path from "node:path";
import { rootCertificates } from "node:tls";
import { describe, expect, it } from "vitest";
import { apiServerUnderTest } from "../testing/api-server-under-test.ts";
import { surroundingsUnderTest } from "../testing/surroundings-under-test.ts";
import { runCommandLine } from "../toolbus/program.ts";
import { secretsApiOfPod } from "./in-cluster-api.ts";

const NAMES = ["gateway", "agent", "approvals", "worker-release", "worker-mcp", "worker-operations", "setup", "redis", "rabbitmq"].map(
  (name) => `toolbus-${name}`,
);

async function setup() {
  const server = await apiServerUnderTest();
  const scratch = await mkdtempDisposable(path.join(os.tmpdir(), "bootstrap-"));
  let pods = 0;
  return {
    ...server,
    /** Runs the command in a new pod, whose data directory is empty. */
    async apply(...flags: readonly string[]) {
      const { around, said } = surroundingsUnderTest(server.env);
      const data = path.join(scratch.path, `pod-${(pods += 1)}`);
      const code = await runCommandLine(["permissions", "--kubernetes", "--apply", "--data", data, ...flags], {
        ...around,
        serviceAccountFolder: server.folder,
      });
      return { code, ...said(), data };
    },
    /** Prints the Secrets from a data directory with the files of toolbus-bootstrap, as an operator does later. */
    async printed() {
      const data = path.join(scratch.path, "operator");
      const { around, said } = surroundingsUnderTest();
      const kept = server.secrets.get("toolbus-bootstrap") ?? {};
      await runCommandLine(["permissions", "--kubernetes", "--json", "--data", data], around);
      for (const [name, text] of Object.entries(kept))
        await writeFile(path.join(data, name === "permissions.json" ? "permissions" : "keys", name), text);
      said();
      await runCommandLine(["permissions", "--kubernetes", "--json", "--data", data], around);
      const { items } = JSON.parse(said().out) as { items: readonly { metadata: { name: string }; stringData: Record<string, string> }[] };
      return Object.fromEntries(items.map(({ metadata, stringData }) => [metadata.name, stringData]));
    },
    /** Lets the API server close the connection at this request. */
    failAt(what: string) {
      server.under.answered = (asked) => asked.what === what && Boolean(asked.response.destroy());
    },
    recover() {
      server.under.answered = () => false;
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await scratch[Symbol.asyncDispose]();
    },
  };
}

type Bundle = Awaited<ReturnType<typeof setup>>;

/** Everything that must not be in an output. */
function secretTexts(secrets: Bundle["secrets"]): readonly string[] {
  const all = [...secrets.values()].flatMap((data) => Object.entries(data));
  const passwords = all.flatMap(([, text]) => [...text.matchAll(/:([\w-]{43})@/g)].map(([, password = ""]) => password));
  return [...passwords, ...all.flatMap(([name, text]) => (name.endsWith(".key") ? [text.trim()] : []))];
}

describe("permissions --kubernetes --apply", () => {
  it("creates each Secret, and one with the keys of people from which an operator makes the same again; prints no secret", async () => {
    await using pod = await setup();
    const { code, out, err } = await pod.apply();
    expect([code, out]).toEqual([0, expect.stringMatching(/^10 Secrets created in the namespace toolbus: toolbus-bootstrap, /)]);
    expect([...pod.secrets.keys()]).toEqual(["toolbus-bootstrap", ...NAMES]);
    for (const role of ["user", "operator", "approver"])
      expect(pod.secrets.get("toolbus-bootstrap")?.[`${role}.key`]).toMatch(new RegExp(`^tb_${role}_`));
    const texts = secretTexts(pod.secrets);
    expect(texts.length).toBeGreaterThan(10);
    for (const text of texts) expect(out + err).not.toContain(text);
    const printed = await pod.printed();
    for (const name of NAMES) expect(printed[name]).toEqual(pod.secrets.get(name));
  });

  it("creates nothing if any Secret exists, and reads none but its own", async () => {
    await using pod = await setup();
    pod.secrets.set("toolbus-redis", { mine: "yes" });
    const { code, out } = await pod.apply();
    expect([code, out]).toEqual([0, "Nothing was changed in the namespace toolbus, because these Secrets exist: toolbus-redis.\n"]);
    expect([...pod.secrets]).toEqual([["toolbus-redis", { mine: "yes" }]]);
    expect(pod.asked.filter((what) => what.startsWith("get"))).toEqual(["get toolbus-bootstrap", "get toolbus-bootstrap"]);
  });

  it.each([["with toolbus-bootstrap", false] as const, ["after an operator has deleted it", true] as const])(
    "changes nothing in a second run, %s",
    async (_when, deleted) => {
      await using pod = await setup();
      await pod.apply();
      if (deleted) pod.secrets.delete("toolbus-bootstrap");
      const before = [...pod.secrets];
      expect(await pod.apply("--json")).toMatchObject({ code: 0 });
      expect([...pod.secrets]).toEqual(before);
    },
  );

  it.each(["create toolbus-bootstrap", "create toolbus-gateway", "create toolbus-worker-mcp", "create toolbus-rabbitmq"])(
    'ends with one sentence if the connection ends at "%s", and a pod with other options completes the same logins and keys',
    async (what) => {
      await using pod = await setup();
      pod.failAt(what);
      await expect(pod.apply()).rejects.toMatchObject({
        exitCode: 3,
        message: expect.stringMatching(/^The API server at 127\.0\.0\.1:\d+ does not answer \(ECONNRESET\): check .+, and run .+\.$/),
      });
      const before = [...pod.secrets];
      expect(before.length).toBeLessThan(10);
      pod.recover();
      const { code } = await pod.apply(...(before.length > 0 ? ["--toolsets", "other", "--bus", "nats://nats"] : []));
      expect(code).toBe(0);
      expect([...pod.secrets.keys()]).toEqual(["toolbus-bootstrap", ...NAMES]);
      expect([...pod.secrets].slice(0, before.length)).toEqual(before);
      const printed = await pod.printed();
      for (const name of NAMES) expect(printed[name]).toEqual(pod.secrets.get(name));
    },
  );

  it("creates the same in two pods that start at the same time", async () => {
    await using pod = await setup();
    const outs = await Promise.all([pod.apply("--json"), pod.apply("--json")]);
    const created = outs.flatMap(({ out }) => (JSON.parse(out) as { created: readonly string[] }).created);
    expect(created.toSorted()).toEqual(["toolbus-bootstrap", ...NAMES].toSorted());
    const printed = await pod.printed();
    for (const name of NAMES) expect(printed[name]).toEqual(pod.secrets.get(name));
  });

  it.each([
    [403, 4, /^The API server at .+ does not let this pod create Secrets in toolbus \(403\): apply the Role and RoleBinding of /],
    [500, 1, /^The API server at .+ answered 500 to "create" of a Secret: /],
  ])("names the remedy for the status %i, and nothing of a Secret", async (status, exitCode, message) => {
    await using pod = await setup();
    pod.under.answered = ({ what, response }) =>
      what === "create toolbus-agent" && Boolean(response.writeHead(status).end(JSON.stringify({ message: "tb_user_secret" })));
    await expect(pod.apply()).rejects.toMatchObject({ exitCode, message: expect.stringMatching(message) });
    await expect(pod.apply()).rejects.toMatchObject({ message: expect.not.stringContaining("tb_user_secret") });
  });

  it("refuses a toolbus-bootstrap that is not of a bootstrap, and makes nothing from it", async () => {
    await using pod = await setup();
    pod.secrets.set("toolbus-bootstrap", { "permissions.json": "{}", "..": "outside" });
    await expect(pod.apply()).rejects.toMatchObject({
      exitCode: 1,
      message: expect.stringMatching(/^The Secret toolbus-bootstrap is not /),
    });
    expect(pod.secrets.size).toBe(1);
  });

  it("works only in a pod with a token, and does not rotate", async () => {
    await using pod = await setup();
    await expect(pod.apply("--rotate")).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringMatching(/^--apply replaces no Secret/),
    });
    await rm(path.join(pod.folder, "token"));
    await expect(pod.apply()).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringMatching(/token cannot be read: run --apply in /),
    });
    const { around } = surroundingsUnderTest();
    const outside = (flags: readonly string[]): Promise<number> => runCommandLine(["permissions", "--apply", ...flags], around);
    await expect(outside(["--kubernetes"])).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringMatching(/^--apply works only in a/),
    });
    await expect(outside([])).rejects.toMatchObject({ exitCode: 2, message: "--apply is for the Secrets: add --kubernetes." });
  });
});

describe("the API server of the pod", () => {
  it("is trusted only with a certificate of the cluster's CA", async () => {
    await using pod = await setup();
    await writeFile(path.join(pod.folder, "ca.crt"), rootCertificates[0] ?? "");
    await expect(pod.apply()).rejects.toMatchObject({ exitCode: 3, message: expect.stringMatching(/ca\.crt does not confirm \(/) });
    expect(pod.asked).toEqual([]);
  });

  it("has a deadline for its answer", async () => {
    await using pod = await setup();
    const silent = createServer().listen(0, "127.0.0.1");
    await once(silent, "listening");
    const address = silent.address();
    const env = { ...pod.env, KUBERNETES_SERVICE_PORT: String(typeof address === "object" ? address?.port : 0) };
    const { signal } = new AbortController();
    const api = await secretsApiOfPod({ env, serviceAccountFolder: pod.folder, signal, answerMs: 50 });
    await expect(api.read("toolbus-bootstrap")).rejects.toMatchObject({
      exitCode: 3,
      message: expect.stringMatching(/did not answer within 0\.05 s: check that a network policy /),
    });
    silent.close();
  });
});
