import { randomUUID } from "node:crypto";
import type { JsonObject } from "@toolbus/contracts";

export interface Answer {
  readonly status: number;
  readonly body: JsonObject;
}

const DEADLINE_MS = 10_000;

/** Sends one HTTP request. A body makes it a POST. Without a key, the request has no credentials. */
export async function ask(url: string, key: string | null, body?: object): Promise<Answer> {
  const response = await fetch(url, {
    headers: {
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...(body ? { "content-type": "application/json", "idempotency-key": randomUUID() } : {}),
    },
    ...(body ? { method: "POST", body: JSON.stringify(body) } : {}),
    signal: AbortSignal.timeout(DEADLINE_MS),
  });
  const text = await response.text();
  return { status: response.status, body: text.startsWith("{") ? (JSON.parse(text) as JsonObject) : { text } };
}
