import { randomUUID } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { type ReleaseApi, startReleaseApi } from "@toolbus/example-release-api";
import { someRelease } from "./releases.ts";

/** The example release API behind a gate. Reads of a run wait until the test opens the gate, so that a viewer can connect before the first event. */
export interface GatedReleaseApi {
  readonly url: string;
  /** Closes the gate until the returned function is called. */
  hold(): () => void;
  /** Resolves when the next request waits at the gate. */
  asked(): Promise<void>;
  /** Returns the filed reports. */
  reports: ReleaseApi["reports"];
  stop(): Promise<void>;
}

export async function gatedReleaseApi(directory: string, releaseIds: readonly string[]): Promise<GatedReleaseApi> {
  const releases = new Map(releaseIds.map((id) => [id, someRelease(id)]));
  const api = await startReleaseApi({ directory: path.join(directory, "api"), releases, clock: () => Date.now(), newId: randomUUID });
  let gate = Promise.resolve();
  let next = Promise.withResolvers<void>();
  const server: Server = createServer((request, response) => {
    void (async () => {
      // The worker's own check belongs to no run and may come at any time, so it does not wait at the gate.
      const isCheck = request.url?.endsWith(CHECKED_RELEASE) ?? false;
      const body: Buffer[] = [];
      for await (const bytes of request) body.push(bytes as Buffer);
      if (!isCheck) {
        next.resolve();
        next = Promise.withResolvers<void>();
        await gate;
      }
      const headers = Object.entries(request.headers).flatMap(([name, value]) =>
        typeof value === "string" && !HOP.has(name) ? [[name, value] as [string, string]] : [],
      );
      const answer = await fetch(api.url + (request.url ?? "/"), {
        method: request.method ?? "GET",
        headers,
        ...(body.length > 0 ? { body: Buffer.concat(body) } : {}),
      });
      response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "application/json" });
      response.end(Buffer.from(await answer.arrayBuffer()));
    })().catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>();
      gate = promise;
      return resolve;
    },
    asked: () => next.promise,
    reports: () => api.reports(),
    async stop() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      await api.stop();
    },
  };
}

/** The release that the toolset's own check requests. */
const CHECKED_RELEASE = "release_id=toolbus-availability-check";
const HOP = new Set(["connection", "content-length", "host", "transfer-encoding"]);
