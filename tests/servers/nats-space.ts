import { createHash, randomUUID } from "node:crypto";
import { connectBus, type ConnectBusOptions, type MessageBus } from "@toolbus/bus";
import { removeNamespace, type TestServer } from "@toolbus/testing/servers";
import { afterAll } from "vitest";

/** Unique names on a server. The suite removes everything under these names when it ends. */
export interface NatsSpace {
  /** Connects to a namespace of this space. Any text may name the namespace. */
  connect(options: { readonly namespace?: string } & Partial<ConnectBusOptions>): Promise<MessageBus>;
  namespaceOf(text: string): string;
  urlOf(text: string): string;
}

/** The size of a stream. It is small because the server reserves this space for each stream. */
const MAX_BYTES = 4 * 1024 * 1024;
const FIRST_TRY_MS = 10_000;

export function natsSpace(server: () => Pick<TestServer, "kind" | "url">): NatsSpace {
  const space = `t-${randomUUID().slice(0, 8)}`;
  const made = new Set<string>();
  afterAll(async () => {
    for (const namespace of made) await removeNamespace(server(), namespace);
  });
  const namespaceOf = (text: string): string => {
    const namespace = `${space}-${createHash("sha256").update(text).digest("hex").slice(0, 16)}`;
    made.add(namespace);
    return namespace;
  };
  const urlOf = (text: string): string => natsUrl(server().url, namespaceOf(text));
  return {
    namespaceOf,
    urlOf,
    connect: ({ namespace = "", ...options }) => connectBus(urlOf(namespace), { clock: Date.now, connectForMs: FIRST_TRY_MS, ...options }),
  };
}

/** Returns the URL of a bus with small streams on a server. */
export function natsUrl(server: string, namespace: string): string {
  return `${server.replace(/[?#].*$/, "")}?namespace=${namespace}&max-bytes=${MAX_BYTES}`;
}
