import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { someRelease } from "./releases.ts";

/** How the release API behaves. `refuses` means that nothing listens at its address. */
export type Behaviour = "works" | "refuses" | "hangs" | "answers 500";

/** A release API that a test breaks and repairs. */
export interface BreakableReleaseApi {
  readonly url: string;
  /** The number of requests of runs that reached the API. The worker's own checks do not count. */
  asked(): number;
  become(behaviour: Behaviour): Promise<void>;
  stop(): Promise<void>;
}

export async function breakableReleaseApi(): Promise<BreakableReleaseApi> {
  let behaviour: Behaviour = "works";
  let asked = 0;
  const server: Server = createServer((request, response) => {
    const { searchParams, pathname } = new URL(request.url ?? "/", "http://release.api");
    const id = searchParams.get("release_id") ?? "";
    const isCheck = pathname !== "/release-summary" || id === CHECKED;
    if (!isCheck) asked++;
    if (behaviour === "hangs") return;
    if (behaviour === "answers 500") return void response.writeHead(500).end("{}");
    const known = !isCheck;
    response.writeHead(known ? 200 : 404, { "content-type": "application/json" });
    response.end(JSON.stringify(known ? someRelease(id) : { error: "release_not_found", message: "There is none.", known: [] }));
  });
  const port = await listen(server, 0);
  return {
    url: `http://127.0.0.1:${port}`,
    asked: () => asked,
    async become(next) {
      if (next === "refuses") await close(server);
      else if (behaviour === "refuses") await listen(server, port);
      // Requests that hang end when the API does something else.
      if (behaviour === "hangs") server.closeAllConnections();
      behaviour = next;
    },
    stop: () => close(server),
  };
}

/** The release that the toolset's own check requests. */
const CHECKED = "toolbus-availability-check";

async function listen(server: Server, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(port, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise<void>((resolve) => server.close(() => resolve()));
}
