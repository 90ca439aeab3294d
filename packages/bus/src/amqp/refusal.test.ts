import { describe, expect, it } from "vitest";
import { BusUnavailable } from "../message-bus.ts";
import type { AmqpSettings } from "./amqp-url.ts";
import { refusalOf, requireFitServer, UnfitServer } from "./refusal.ts";

const settings: AmqpSettings = {
  protocol: "amqp",
  host: "broker",
  port: 5672,
  user: "worker",
  password: "hunter2",
  vhost: "/",
  heartbeat: 15,
  namespace: "toolbus",
  management: null,
};
const fault = (message: string, code?: string) => Object.assign(new Error(message), code === undefined ? {} : { code });

describe("why there is no connection to RabbitMQ", () => {
  it.each([
    [
      "a refused login",
      fault('Handshake terminated by server: 403 (ACCESS-REFUSED) with message "ACCESS_REFUSED - …"'),
      true,
      'refused the login of "worker"',
    ],
    ["a missing virtual host", fault("Expected ConnectionOpenOk; got <ConnectionClose channel:0>"), true, 'refused the virtual host "/"'],
    ["a certificate of somebody else", fault("…", "ERR_TLS_CERT_ALTNAME_INVALID"), true, "cannot be trusted or does not speak TLS"],
    ["an untrusted certificate", fault("…", "DEPTH_ZERO_SELF_SIGNED_CERT"), true, "cannot be trusted or does not speak TLS"],
    ["a server without TLS", fault("…", "ERR_SSL_WRONG_VERSION_NUMBER"), true, "cannot be trusted or does not speak TLS"],
    ["a broker that is starting", fault("Expected ConnectionTune; got <ConnectionClose channel:0>"), false, "may be starting or stopping"],
    ["another protocol", fault("Frame size 1327528738 exceeds maxFrameSize 67108864"), true, "something other than RabbitMQ"],
    ["a closed port", fault("connect ECONNREFUSED", "ECONNREFUSED"), false, "does not answer (ECONNREFUSED)"],
    ["an unknown host", fault("getaddrinfo ENOTFOUND", "ENOTFOUND"), false, "does not answer (ENOTFOUND)"],
    [
      "a server that just starts",
      fault("Socket closed abruptly during opening handshake"),
      false,
      "does not answer (it closed the connection)",
    ],
    ["a connection lost while it began", new BusUnavailable("It was lost."), false, "It was lost."],
    ["an unknown error", undefined, false, "does not answer"],
  ])("is reported for %s, and whether a retry makes sense", (_, error, final, words) => {
    const refusal = refusalOf(error, settings);
    expect(refusal.final).toBe(final);
    expect(refusal.reason).toContain(words);
    expect(refusal.reason).not.toContain("hunter2");
  });
});

describe("a server", () => {
  it.each(["3.10.0", "3.10.8", "3.13.7", "4.0.1", "4.2.0-rc.1", "10.0.0"])("is fit as RabbitMQ %s", (version) => {
    expect(() => requireFitServer({ product: "RabbitMQ", version })).not.toThrow();
  });

  it.each(["3.9.29", "3.8.0", "2.8.7", ""])("is too old as RabbitMQ %j", (version) => {
    expect(() => requireFitServer({ product: "RabbitMQ", version })).toThrow(UnfitServer);
  });

  it("is refused if it is another product", () => {
    expect(() => requireFitServer({ product: "LavinMQ", version: "4.2.0" })).toThrow(
      'The server calls itself "LavinMQ"; this bus needs RabbitMQ 3.10 or newer.',
    );
  });
});
