import { describe, expect, it } from "vitest";
import { type HealthOptions, healthRoutes } from "./health-routes.ts";
import { startHttpServer } from "./http-server.ts";
import { documented, serverOptions } from "../testing/http-under-test.ts";

describe("readiness", () => {
  it("names what does not answer, in a few words", async () => {
    await using t = await setup([
      { what: "the store", ask: () => Promise.reject(new Error("secret place")) },
      { what: "the rest", ask: () => Promise.resolve(7) },
    ]);
    const { status, headers, body } = await t.ask("/readyz");
    expect([status, headers.get("retry-after")]).toEqual([503, "2"]);
    expect(body).toEqual({ status: "unready", reasons: ["the store does not answer"] });
  });

  it("stays ready if clocks disagree, and reports that", async () => {
    const faults = [{ name: "ahead", sentence: "this machine's clock is 2.0 h ahead of the state store's: set both by NTP" }];
    await using t = await setup([], { faults: () => faults });
    expect(await t.ask("/readyz")).toMatchObject({
      status: 200,
      body: { status: "ready", reasons: [], warnings: [faults[0]?.sentence] },
    });
  });

  it("ends first when the server stops, while pending requests end and the process is still alive", async () => {
    await using t = await setup([]);
    expect((await t.ask("/readyz")).body).toEqual({ status: "ready", reasons: [] });
    const slow = t.ask("/slow");
    await t.arrived;
    const stopping = t.stop();
    expect(await t.ask("/readyz")).toMatchObject({ status: 503, body: { status: "unready", reasons: ["stopping"] } });
    expect((await t.ask("/healthz")).status).toBe(200);
    expect(await t.ask("/slow")).toMatchObject({ status: 503, body: { code: "shutting_down" } });
    t.release();
    expect(await slow).toMatchObject({ status: 200, body: { done: true } });
    await stopping;
  });
});

async function setup(needs: HealthOptions["needs"], clocks?: HealthOptions["clocks"]) {
  const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  let stopping = false;
  const handle = async (): Promise<object> => {
    arrive();
    await released;
    return { done: true };
  };
  const slow = documented({ method: "GET", url: "/slow", access: "public", handle });
  const routes = [slow, ...healthRoutes({ unready: () => (stopping ? ["stopping"] : []), needs, clocks })];
  const server = await startHttpServer(serverOptions({ routes }));
  const stop = (): Promise<void> => {
    stopping = true;
    return server.stop();
  };
  return {
    arrived,
    release,
    stop,
    async ask(url: string) {
      const response = await fetch(server.url + url);
      const body: unknown = await response.json();
      return { status: response.status, headers: response.headers, body };
    },
    async [Symbol.asyncDispose]() {
      release();
      await stop();
    },
  };
}
