import { createServer } from "node:net";
import { once } from "node:events";
import { BusUnavailable, connectBus } from "@toolbus/bus";
import { probe, record } from "@toolbus/bus/conformance";
import { describeOnServer, tcpProxy } from "@toolbus/testing/servers";
import { afterEach, describe, expect, it } from "vitest";
import { amqpSpace, amqpUrl } from "./amqp-space.ts";

const PATIENCE_MS = 20_000;

describeOnServer("rabbitmq", "the start of a bus on RabbitMQ", (server) => {
  const space = amqpSpace(server);
  const namespace = space.namespaceOf("start");

  /** Returns the server's URL with some parts replaced. */
  function changed(parts: Partial<Pick<URL, "protocol" | "username" | "password" | "pathname">>): string {
    const url = new URL(amqpUrl(server().url, namespace));
    const { protocol, ...rest } = parts;
    Object.assign(url, rest);
    return protocol === undefined ? url.href : url.href.replace(/^amqp:/, protocol);
  }

  async function refusalOf(url: string, reported: string[] = []): Promise<unknown> {
    const tell = (_: object, words: string) => void reported.push(words);
    const log = { warn: tell, error: tell };
    return connectBus(url, { clock: Date.now, connectForMs: 60_000, log }).catch((error: unknown) => error);
  }

  // The bus does not retry after a refusal. If it did, each of these tests would take a minute.
  it.each([
    [
      "a wrong password",
      { username: "guest", password: "hunter2" },
      /^RabbitMQ at .* refused the login of "guest"; check user and password in BUS_URL\.$/,
    ],
    ["an unknown virtual host", { pathname: "/no-such-place" }, /^RabbitMQ at .* refused the virtual host "no-such-place": /],
    ["TLS to a server without it", { protocol: "amqps:" }, /^RabbitMQ at .* cannot be trusted or does not speak TLS \(\w+\); /],
  ])("is refused at once with one sentence for %s, which is not logged as well", async (_, parts, sentence) => {
    const reported: string[] = [];
    const refusal = await refusalOf(changed(parts), reported);
    expect(reported).toEqual([]);
    expect(refusal).toBeInstanceOf(BusUnavailable);
    expect(refusal).toMatchObject({ message: expect.stringMatching(sentence) });
    expect(String(refusal)).not.toContain("hunter2");
  });

  it("gives up with one sentence if nobody answers", async () => {
    await using proxy = await tcpProxy({ host: "127.0.0.1", port: 1 });
    await proxy.refuse();
    const url = proxy.through(changed({ password: "hunter2", username: "guest" }));
    const refusal: unknown = await connectBus(url, { clock: Date.now, connectForMs: 300 }).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(BusUnavailable);
    expect(String(refusal)).toContain(
      `RabbitMQ at 127.0.0.1:${proxy.port} does not answer (ECONNREFUSED); check BUS_URL and that the server runs.`,
    );
  });

  it("waits for a server that starts a little later", async () => {
    const { hostname, port } = new URL(server().url);
    await using proxy = await tcpProxy({ host: hostname, port: Number(port) || 5672 });
    await proxy.refuse();
    const lines = record<string>({ patienceMs: PATIENCE_MS });
    const log = { warn: () => undefined, error: (_: object, words: string) => lines.add(words) };
    const connecting = space.connect({ namespace: "late", url: proxy.through(server().url), connectForMs: PATIENCE_MS, log });
    await lines.until("a first try has failed", (all) => all.includes("RabbitMQ cannot be reached; it is retried"));
    await proxy.accept();
    await using bus = disposable(await connecting);
    await expect(bus.publish(probe("orders", "lost"))).rejects.toMatchObject({ code: "unroutable" });
  });

  describe("at something other than RabbitMQ", () => {
    const listener = createServer((socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"));
    afterEach(() => void listener.close());

    it("is refused at once with one sentence", async () => {
      listener.listen(0, "127.0.0.1");
      await once(listener, "listening");
      const address = listener.address();
      const port = typeof address === "object" && address ? address.port : 0;
      expect(String(await refusalOf(`amqp://127.0.0.1:${port}`))).toContain(`At 127.0.0.1:${port} there is something other than RabbitMQ.`);
    });
  });
});

function disposable<T extends { close(): Promise<void> }>(bus: T): T & AsyncDisposable {
  return { ...bus, [Symbol.asyncDispose]: () => bus.close() };
}
