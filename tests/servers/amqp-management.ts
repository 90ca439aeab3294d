import type { PrivateServer } from "@toolbus/testing/servers";

/** RabbitMQ's HTTP API. The tests use it for things that a bus never does: users, rights, policies, and messages of other programs. */
export interface Management {
  /**
   * Sends a request and returns the JSON of the answer. Rejects with the server's message if the server refuses. `path` begins after `/api/`. In it,
   * `%2F` is the default virtual host.
   */
  ask(method: "GET" | "PUT" | "POST" | "DELETE", path: string, body?: object): Promise<unknown>;
  /** Publishes a message as another program would. Rejects if no queue accepts the message. */
  publish(exchange: string, routingKey: string, body: Buffer, properties?: object): Promise<void>;
}

/**
 * On a busy machine, a quorum queue sometimes confirms the first message of a new channel only after ten seconds, when RabbitMQ sends it again.
 * Sometimes it never confirms the message. A publish without an answer is retried, so a message may arrive twice.
 */
const DEADLINE_MS = 15_000;
const PUBLISHES = 3;

export function management({ managementUrl }: PrivateServer): Management {
  if (managementUrl === null) throw new Error("The server was started without its management.");
  const { origin, username, password } = new URL(managementUrl);
  const headers = { authorization: `Basic ${btoa(`${username}:${password}`)}`, "content-type": "application/json" };
  const ask: Management["ask"] = async (method, path, body) => {
    const answer = await fetch(`${origin}/api/${path}`, {
      method,
      headers,
      signal: AbortSignal.timeout(DEADLINE_MS),
      ...(body ? { body: JSON.stringify(body) } : {}),
    }).catch((error: unknown) => {
      throw new Error(`${method} ${path} got no answer: ${JSON.stringify(body ?? {}).slice(0, 300)}`, { cause: error });
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return text === "" ? undefined : JSON.parse(text);
  };
  const asked: Management["ask"] = async (...request) => {
    for (let left = PUBLISHES; ; left--) {
      try {
        return await ask(...request);
      } catch (error) {
        const isUnanswered = error instanceof Error && error.cause instanceof DOMException && error.cause.name === "TimeoutError";
        if (!isUnanswered || left === 1) throw error;
      }
    }
  };
  return {
    ask,
    async publish(exchange, routingKey, body, properties = {}) {
      const message = { properties, routing_key: routingKey, payload: body.toString("base64"), payload_encoding: "base64" };
      const answer = await asked("POST", `exchanges/%2F/${exchange}/publish`, message);
      if (JSON.stringify(answer) !== '{"routed":true}') throw new Error(`No queue took ${routingKey}.`);
    },
  };
}
