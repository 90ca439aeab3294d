import { type AmqpMethod, longText, methodFrame, PROTOCOL_HEADER, short, shortText, takeFrame, textsOf } from "./amqp-frames.ts";
import type { ServerAddress } from "./server-url.ts";
import type { Wire } from "./wire.ts";

const START = "10.10";
const START_OK = "10.11";
const TUNE = "10.30";
const TUNE_OK = "10.31";
const OPEN = "10.40";
const OPEN_OK = "10.41";
const CLOSE = "10.50";
const CLOSE_OK = "10.51";
const CHANNEL_OPEN = "20.10";
const CHANNEL_OPEN_OK = "20.11";
const CHANNEL_CLOSE = "20.40";
const EXCHANGE_DELETE = "40.20";
const EXCHANGE_DELETE_OK = "40.21";
const QUEUE_DELETE = "50.40";
const QUEUE_DELETE_OK = "50.41";

/** Logs in, opens the virtual host and returns the server's version. */
export async function greetRabbitmq(wire: Wire, { user, password, virtualHost }: ServerAddress): Promise<string> {
  wire.write(PROTOCOL_HEADER);
  const start = await answer(wire, START);
  const properties = textsOf(start.args.subarray(2));
  // With this capability, the server says why it refuses a login. Without it, the server waits and closes without a reason.
  const capabilities = longText(Buffer.concat([shortText("authentication_failure_close"), Buffer.from("t\x01", "latin1")]));
  const ours = longText(Buffer.concat([shortText("capabilities"), Buffer.from("F"), capabilities]));
  const login = longText(`\0${user === "" ? "guest" : user}\0${password === "" ? "guest" : password}`);
  wire.write(methodFrame(0, START_OK, ours, shortText("PLAIN"), login, shortText("en_US")));
  const tune = await answer(wire, TUNE);
  // The client accepts the server's proposal of channels and frame size. It asks for no heartbeats, because no connection here lasts long enough to
  // need them.
  wire.write(methodFrame(0, TUNE_OK, tune.args.subarray(0, 6), short(0)));
  wire.write(methodFrame(0, OPEN, shortText(virtualHost), shortText(""), Buffer.from([0])));
  await answer(wire, OPEN_OK);
  return properties.get("version") ?? "of an unknown version";
}

/** Deletes these queues and exchanges in the virtual host that the greeting opened. A missing one is not an error. */
export async function deleteTopology(wire: Wire, queues: readonly string[], exchanges: readonly string[]): Promise<void> {
  wire.write(methodFrame(1, CHANNEL_OPEN, shortText("")));
  await answer(wire, CHANNEL_OPEN_OK);
  const whateverItHolds = Buffer.from([0]);
  for (const queue of queues) {
    wire.write(methodFrame(1, QUEUE_DELETE, short(0), shortText(queue), whateverItHolds));
    await answer(wire, QUEUE_DELETE_OK);
  }
  for (const exchange of exchanges) {
    wire.write(methodFrame(1, EXCHANGE_DELETE, short(0), shortText(exchange), whateverItHolds));
    await answer(wire, EXCHANGE_DELETE_OK);
  }
}

/** Closes as the protocol requires, so that the server logs no warning. */
export async function sayGoodbye(wire: Wire): Promise<void> {
  wire.write(methodFrame(0, CLOSE, short(200), shortText("bye"), short(0), short(0)));
  await answer(wire, CLOSE_OK);
}

async function answer(wire: Wire, expected: string): Promise<AmqpMethod> {
  for (;;) {
    const method = await wire.read(takeFrame);
    if (!method) continue;
    if (method.id === expected) return method;
    if (method.id === CLOSE || method.id === CHANNEL_CLOSE) throw new Error(`it refused: ${reasonOf(method)}`);
    throw new Error(`it answered with method ${method.id} instead of ${expected}`);
  }
}

function reasonOf({ args }: AmqpMethod): string {
  return args.toString("utf8", 3, 3 + args.readUInt8(2));
}
