import { BusUnavailable, type MessageBus } from "@toolbus/bus";
import { StoreRefused, StoreUnavailable } from "@toolbus/state";
import { describe, expect, it } from "vitest";
import { startHttpServer } from "./http/http-server.ts";
import { serverOptions } from "./testing/http-under-test.ts";
import { Refusal } from "./refusal.ts";
import { type RunOptions, runServices } from "./run-services.ts";
import { defineService, type ServiceDefinition } from "./service.ts";
import { integer, port, type Settings } from "./settings.ts";

const ENV = { BUS_URL: "memory:", STATE_URL: "memory:", LOG_LEVEL: "silent" };

describe("running services", () => {
  it("starts them in order, stops them in reverse, then closes the bus and the store", async () => {
    const t = setup();
    const running = await t.run([t.service("one"), t.service("two"), t.service("three")]);
    expect([...running.services.keys()]).toEqual(["one", "two", "three"]);
    expect(await running.stop()).toBe(true);
    expect(t.said).toEqual(["start one", "start two", "start three", "stop three", "stop two", "stop one"]);
    await expect(running.infrastructure.state.read([])).rejects.toThrow(StoreUnavailable);
    await expect(running.infrastructure.bus.listen("x", () => undefined)).rejects.toThrow(BusUnavailable);
  });

  it("gives each the settings of all, read once", async () => {
    const t = setup();
    const configs: unknown[] = [];
    const size = (name: string) => ({ [name]: integer({ min: 1, max: 9 })({ default: 1, desc: name }) });
    const definitions = ["A_SIZE", "B_SIZE"].map((name) =>
      t.service(name, { settings: size(name), onStart: (config) => void configs.push(config) }),
    );
    const running = await t.run(definitions, { A_SIZE: "3" });
    expect(configs).toEqual([expect.objectContaining({ A_SIZE: 3, B_SIZE: 1 }), expect.objectContaining({ A_SIZE: 3, B_SIZE: 1 })]);
    await running.stop();
  });

  it("refuses bad settings of the process and of every service at once, before anything starts", async () => {
    const t = setup();
    const definitions = ["A_PORT", "B_PORT"].map((name) =>
      t.service(name, { settings: { [name]: port({ default: 1, desc: `port of ${name}` }) } }),
    );
    const refused = t.run(definitions, { A_PORT: "x", B_PORT: "y", DRAIN_MS: "z", LOG_LEVEL: "loud" });
    await expect(refused).rejects.toThrow(
      /^(?=.*A_PORT: .*"x")(?=.*B_PORT: .*"y")(?=.*DRAIN_MS: .*"z")(?=.*LOG_LEVEL: .*"loud")Settings are wrong: /,
    );
    expect(t.said).toEqual([]);
  });

  it("stops the started services if one cannot start, and throws that one's error", async () => {
    const t = setup();
    const locked = t.service("locked", {
      onStart: () => {
        throw new Refusal("The door is locked.");
      },
    });
    await expect(t.run([t.service("one"), t.service("two"), locked, t.service("never")])).rejects.toThrow(
      new Refusal("The door is locked."),
    );
    expect(t.said).toEqual(["start one", "start two", "start locked", "stop two", "stop one"]);
    await expect(t.infrastructure().state.read([])).rejects.toThrow(StoreUnavailable);
  });

  it("says in one sentence that a port is taken, and which variable chooses another", async () => {
    const t = setup();
    const taken = await startHttpServer(serverOptions({ name: "first" }));
    const number = Number(new URL(taken.url).port);
    const server = t.service("tea-room", {
      onStart: async () => {
        await startHttpServer(serverOptions({ name: "tea-room", port: number }));
      },
    });
    await expect(t.run([t.service("one"), server])).rejects.toThrow(
      new Refusal(
        `Port ${number} on 127.0.0.1 is taken by another process, so tea-room cannot start: stop that process or choose another port with TEA_ROOM_PORT.`,
      ),
    );
    expect(t.said).toEqual(["start one", "start tea-room", "stop one"]);
    await taken.stop();
  });

  it("reports on a separate port whether it is alive and accepts work, from before its services start until after they have stopped", async () => {
    const t = setup();
    const number = await freePort();
    const ready = async () => {
      const response = await fetch(`http://127.0.0.1:${number}/readyz`);
      return [response.status, await response.json()];
    };
    const seen: unknown[] = [];
    const service = t.service("one", {
      onStart: async () => void seen.push(await ready()),
      onStop: async () => void seen.push(await ready()),
    });
    const running = await t.run([service], { HEALTH_PORT: String(number) });
    expect(await ready()).toEqual([200, { status: "ready", reasons: [] }]);
    await running.stop();
    expect(seen).toEqual([
      [503, { status: "unready", reasons: ["starting"] }],
      [503, { status: "unready", reasons: ["stopping"] }],
    ]);
    await expect(ready()).rejects.toThrow("fetch failed");
  });

  it("accepts no work while the bus does not, says why, and stays alive", async () => {
    let reasons: readonly string[] = [];
    const t = setup();
    const number = await freePort();
    const ask = async (path: string) => {
      const response = await fetch(`http://127.0.0.1:${number}${path}`);
      return [response.status, await response.json()];
    };
    const running = await t.run([t.service("one")], { HEALTH_PORT: String(number) }, (built) => ({
      ...built,
      bus: { ...built.bus, unready: () => reasons },
    }));
    reasons = ["the broker is away"];
    expect(await ask("/readyz")).toEqual([503, { status: "unready", reasons: ["the broker is away"] }]);
    expect(await ask("/healthz")).toEqual([200, { status: "ok" }]);
    reasons = [];
    expect(await ask("/readyz")).toEqual([200, { status: "ready", reasons: [] }]);
    await running.stop();
  });

  it("stops once, however often it is asked to", async () => {
    const t = setup();
    const running = await t.run([t.service("one")]);
    const first = running.stop();
    expect(running.stop()).toBe(first);
    await first;
    expect(running.stop()).toBe(first);
    expect(t.said).toEqual(["start one", "stop one"]);
  });

  it("stops the others if one does not stop cleanly", async () => {
    const t = setup();
    const broken = t.service("broken", { onStop: () => Promise.reject(new Error("broken")) });
    const running = await t.run([t.service("one"), broken, t.service("two")]);
    expect(await running.stop()).toBe(true);
    expect(t.said.slice(3)).toEqual(["stop two", "stop broken", "stop one"]);
  });

  it("returns false if the time to stop runs out", async () => {
    const t = setup();
    const running = await t.run([t.service("stuck", { onStop: () => new Promise(() => undefined) })], { DRAIN_MS: "10" });
    expect(await running.stop()).toBe(false);
  });

  it("releases the store if the bus cannot be closed, and still says why it could not start", async () => {
    const wrap: RunOptions["wrap"] = (built) => {
      const bus: MessageBus = { ...built.bus, close: () => Promise.reject(new BusUnavailable("The broker is away.")) };
      return { ...built, bus };
    };
    const t = setup();
    const running = await t.run([t.service("one")], {}, wrap);
    expect(await running.stop()).toBe(true);
    await expect(running.infrastructure.state.read([])).rejects.toThrow(StoreUnavailable);

    const locked = t.service("locked", { onStart: () => Promise.reject(new Refusal("The door is locked.")) });
    await expect(t.run([locked], {}, wrap)).rejects.toThrow("The door is locked.");
  });

  it("waits for no store and no bus once it was told to stop, and releases what it has opened", async () => {
    for (const env of [{ STATE_URL: "redis://127.0.0.1:1" }, { BUS_URL: "amqp://127.0.0.1:1" }]) {
      const t = setup();
      const stopping = new AbortController();
      const started = runServices([t.service("one")], { env: { ...ENV, ...env }, signal: stopping.signal });
      stopping.abort(new Error("stop"));
      await expect(started).rejects.toThrow("stop");
      expect(t.said).toEqual([]);
    }
  });

  it.each(["99", "3600001", "2s"])("refuses %s as the tolerated clock difference", async (limit) => {
    const t = setup();
    const refused = t.run([t.service("one")], { CLOCK_SKEW_WARN_MS: limit });
    await expect(refused).rejects.toThrow(`CLOCK_SKEW_WARN_MS: must be a whole number from 100 to 3600000, not "${limit}"`);
  });

  it("refuses an unknown durability", async () => {
    const t = setup();
    await expect(t.run([t.service("one")], { STATE_DURABILITY: "some" })).rejects.toThrow(/STATE_DURABILITY: .*some/);
  });

  it.each([
    { env: { STATE_URL: "postgres://me:secret@host" }, error: StoreRefused, words: /^The state store "postgres:…" is unknown/ },
    { env: { BUS_URL: "kafka://me:secret@host" }, error: BusUnavailable, words: /^BUS_URL starts with kafka: which is not a bus/ },
  ])("is refused with a sentence and without the password for $env", async ({ env, error, words }) => {
    const t = setup();
    const refused = await t.run([t.service("one")], env).catch((reason: unknown) => reason);
    expect(refused).toBeInstanceOf(error);
    expect(String(refused)).not.toContain("secret");
    expect(refused).toHaveProperty("message", expect.stringMatching(words));
    expect(t.said).toEqual([]);
  });
});

interface Parts {
  readonly settings?: Settings;
  readonly onStart?: (config: object) => void | Promise<void>;
  readonly onStop?: () => Promise<void>;
}

/** Returns a port that was free a moment ago. */
async function freePort(): Promise<number> {
  const server = await startHttpServer(serverOptions({ name: "finder" }));
  await server.stop();
  return Number(new URL(server.url).port);
}

/** Creates services that record their starts and stops. */
function setup() {
  const said: string[] = [];
  let latest: Parameters<NonNullable<RunOptions["wrap"]>>[0] | undefined;
  const infrastructure = () => {
    if (!latest) throw new Error("Nothing was started yet.");
    return latest;
  };
  return {
    said,
    infrastructure,
    run: (
      definitions: readonly ServiceDefinition<Settings>[],
      env: Readonly<Record<string, string>> = {},
      wrap: RunOptions["wrap"] = (built) => built,
    ) => runServices(definitions, { env: { ...ENV, ...env }, wrap: (built) => (latest = wrap(built)) }),
    service: (name: string, { settings = {}, onStart, onStop }: Parts = {}) =>
      defineService({
        name,
        settings,
        async start(_infrastructure, config) {
          said.push(`start ${name}`);
          await onStart?.(config);
          return {
            unready: () => [],
            async stop() {
              said.push(`stop ${name}`);
              await onStop?.();
            },
          };
        },
      }),
  };
}
