import { once } from "node:events";
import { mkdtempDisposable, writeFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { API_CERT, API_KEY, CLUSTER_CA } from "./cluster-certificate.ts";

interface Secret {
  readonly metadata: { readonly name: string };
  readonly stringData: Readonly<Record<string, string>>;
}

/** A request, and the answer to it. */
export interface Asked {
  /** For example `create toolbus-agent`, with `(dry run)` if nothing is to be stored. */
  readonly what: string;
  readonly response: ServerResponse;
}

/**
 * Starts an HTTPS server that keeps Secrets of the namespace `toolbus` as the API server does, with the rights of `deploy/k8s/components/bootstrap`.
 * `folder` is what a pod has mounted. If `answered` returns true, the request has its answer already.
 */
export async function apiServerUnderTest() {
  const folder = await mkdtempDisposable(path.join(os.tmpdir(), "service-account-"));
  const mounted = { token: "a-token", "ca.crt": CLUSTER_CA, namespace: "toolbus\n" };
  for (const [name, content] of Object.entries(mounted)) await writeFile(path.join(folder.path, name), content);
  const secrets = new Map<string, Readonly<Record<string, string>>>();
  const asked: string[] = [];
  const under = { answered: (_asked: Asked): boolean => false };
  const server = createServer({ cert: API_CERT, key: API_KEY }, (request, response) => void answer(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", "https://cluster.test");
    const say = (status: number, body: object): void => void response.writeHead(status).end(JSON.stringify(body));
    const [, name] = /^\/api\/v1\/namespaces\/toolbus\/secrets(?:\/([\w.-]+))?$/.exec(url.pathname) ?? [url.pathname];
    const sent = await text(request);
    const dryRun = url.searchParams.get("dryRun") === "All";
    const secret = request.method === "POST" ? (JSON.parse(sent) as Secret) : null;
    const verb = secret ? "create" : name === undefined ? "list" : "get";
    const what = `${verb} ${secret?.metadata.name ?? name}${dryRun ? " (dry run)" : ""}`;
    asked.push(what);
    if (under.answered({ what, response })) return;
    if (request.headers.authorization !== `Bearer ${mounted.token}`) return say(401, { kind: "Status" });
    if (!secret && name !== "toolbus-bootstrap") return say(403, { kind: "Status" });
    if (!secret) {
      const found = secrets.get("toolbus-bootstrap");
      const data = Object.entries(found ?? {}).map(([key, value]) => [key, Buffer.from(value).toString("base64")]);
      return found ? say(200, { kind: "Secret", data: Object.fromEntries(data) }) : say(404, { kind: "Status" });
    }
    if (secrets.has(secret.metadata.name)) return say(409, { kind: "Status", reason: "AlreadyExists" });
    if (!dryRun) secrets.set(secret.metadata.name, secret.stringData);
    say(201, { kind: "Secret" });
  }

  return {
    secrets,
    /** The requests so far. */
    asked,
    under,
    folder: folder.path,
    env: { KUBERNETES_SERVICE_HOST: "127.0.0.1", KUBERNETES_SERVICE_PORT: String(port) },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}
