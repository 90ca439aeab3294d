import { readFile } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import path from "node:path";
import type { KubernetesSecret } from "@toolbus/runtime";
import { EXIT } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";

/** What the bootstrap job does with the Secrets of its namespace. Each function throws a Failure if the API server refuses or does not answer. */
export interface SecretsApi {
  readonly namespace: string;
  /** Returns the values of a Secret, or null if it does not exist. */
  read(name: string): Promise<Readonly<Record<string, string>> | null>;
  /** Whether a Secret of this name exists. The API server tries the creation without storing anything, so this needs only the right to create. */
  exists(secret: KubernetesSecret): Promise<boolean>;
  /** Creates a Secret. Returns false if one of this name exists, which then stays as it is. */
  create(secret: KubernetesSecret): Promise<boolean>;
}

export interface ApiOfPod {
  /** The variables in which the cluster gives a pod the address of the API server. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder in which the cluster mounts the token, the certificate of its CA and the name of the namespace. */
  readonly serviceAccountFolder: string;
  readonly signal: AbortSignal;
  /** The longest time for one answer. */
  readonly answerMs?: number;
}

/** Returns the API of the cluster in which this process runs, with the account of its pod. Throws a Failure outside a pod, or without a token. */
export async function secretsApiOfPod({ env, serviceAccountFolder, signal, answerMs = 10_000 }: ApiOfPod): Promise<SecretsApi> {
  const host = env["KUBERNETES_SERVICE_HOST"];
  const port = Number(env["KUBERNETES_SERVICE_PORT"] ?? 443);
  if (!host)
    throw new Failure(EXIT.usage, "--apply works only in a pod: elsewhere, use toolbus permissions --kubernetes | kubectl apply -f -.");
  const [ca, namespace] = await Promise.all([mounted("ca.crt"), mounted("namespace")]);
  const secrets = `/api/v1/namespaces/${encodeURIComponent(namespace)}/secrets`;
  const server = `The API server at ${host}:${port}`;

  return {
    namespace,
    async read(name) {
      const { status, body } = await answer("get", "GET", `${secrets}/${encodeURIComponent(name)}`);
      if (status === 404) return null;
      if (status !== 200) throw unexpected(status, "get");
      return valuesIn(body) ?? unreadable(name);
    },
    exists: async (secret) => !(await post(`${secrets}?dryRun=All`, secret)),
    create: (secret) => post(secrets, secret),
  };

  async function post(where: string, secret: KubernetesSecret): Promise<boolean> {
    const { status } = await answer("create", "POST", where, JSON.stringify(secret));
    if (status === 201 || status === 200) return true;
    if (status === 409) return false;
    throw unexpected(status, "create");
  }

  async function answer(verb: string, method: string, where: string, sent?: string): Promise<{ status: number; body: string }> {
    // The cluster replaces the token while the pod runs, so each request reads it.
    const headers = { authorization: `Bearer ${await mounted("token")}`, accept: "application/json", "content-type": "application/json" };
    const deadline = AbortSignal.timeout(answerMs);
    try {
      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        request({ host, port, path: where, method, headers, ca, agent: false, signal: AbortSignal.any([signal, deadline]) }, resolve)
          .on("error", reject)
          .end(sent);
      });
      const body = await textOf(response);
      const status = response.statusCode ?? 0;
      if (status === 401 || status === 403)
        throw new Failure(
          EXIT.notAllowed,
          `${server} does not let this pod ${verb} Secrets in ${namespace} (${status}): apply the Role and RoleBinding of deploy/k8s/components/bootstrap, and check the namespace's quota.`,
        );
      return { status, body };
    } catch (error) {
      if (error instanceof Failure) throw error;
      if (signal.aborted) throw signal.reason;
      if (deadline.aborted)
        throw new Failure(EXIT.unreachable, `${server} did not answer within ${answerMs / 1000} s: ${NETWORK}`, { cause: error });
      throw unreached(error);
    }
  }

  function unreached(error: unknown): Failure {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
    if (/CERT|SIGNATURE|ALTNAME|SELF_SIGNED/.test(code))
      return new Failure(EXIT.unreachable, `${server} has a certificate that ca.crt does not confirm (${code}): check who answers there.`, {
        cause: error,
      });
    return new Failure(EXIT.unreachable, `${server} does not answer (${code}): ${NETWORK}`, { cause: error });
  }

  function unexpected(status: number, verb: string): Failure {
    return new Failure(EXIT.failed, `${server} answered ${status} to "${verb}" of a Secret: look at its log, and run the command again.`);
  }

  async function mounted(name: string): Promise<string> {
    const file = path.join(serviceAccountFolder, name);
    try {
      return (await readFile(file, "utf8")).trim();
    } catch (error) {
      throw new Failure(
        EXIT.usage,
        `${file} cannot be read: run --apply in the job of deploy/k8s/components/bootstrap, which has a token.`,
        {
          cause: error,
        },
      );
    }
  }
}

const NETWORK = "check that a network policy lets this pod reach it, and run the command again.";

/** The API server accepts Secrets of at most 1 MiB, and base64 makes them longer by a third. */
const LONGEST_ANSWER = 4 * 1024 * 1024;

async function textOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > LONGEST_ANSWER) throw new Failure(EXIT.failed, "The API server sent too long an answer: check who answers there.");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function valuesIn(body: string): Readonly<Record<string, string>> | null {
  try {
    const { data } = JSON.parse(body) as { readonly data?: Readonly<Record<string, unknown>> };
    if (!data || !Object.values(data).every((value) => typeof value === "string")) return null;
    return Object.fromEntries(Object.entries(data).map(([name, value]) => [name, Buffer.from(String(value), "base64").toString("utf8")]));
  } catch {
    return null;
  }
}

function unreadable(name: string): never {
  throw new Failure(
    EXIT.failed,
    `The Secret ${name} has no values that can be read: look at it with kubectl, and delete it if it is not needed.`,
  );
}
