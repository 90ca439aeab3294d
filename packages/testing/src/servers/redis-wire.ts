import { takeLine, type Taken, type Wire } from "./wire.ts";
import type { ServerAddress } from "./server-url.ts";

type Reply = string | number | null | readonly Reply[] | { readonly error: string };

/** Sends commands one after another and returns their replies. If a reply is an error, it throws this error. */
export interface RedisCommands {
  (...words: readonly string[]): Promise<Exclude<Reply, { readonly error: string }>>;
}

/** Logs in if the address has a login, and returns a function that sends commands. */
export async function redisCommands(wire: Wire, { user, password }: ServerAddress): Promise<RedisCommands> {
  const command: RedisCommands = async (...words) => {
    wire.write(`*${words.length}\r\n${words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join("")}`);
    const reply = await wire.read(takeReply);
    if (isError(reply)) throw new Error(reply.error);
    return reply;
  };
  if (password !== "") await (user === "" ? command("AUTH", password) : command("AUTH", user, password));
  return command;
}

/** Returns the server's version. */
export async function greetRedis(wire: Wire, address: ServerAddress): Promise<string> {
  const command = await redisCommands(wire, address);
  await command("PING");
  const info = await command("INFO", "server");
  return /^redis_version:(\S+)/m.exec(typeof info === "string" ? info : "")?.[1] ?? "of an unknown version";
}

/** Takes one reply of version 2 of the protocol. */
export function takeReply(bytes: Buffer): Taken<Reply> {
  const line = takeLine(bytes);
  if (!line) return null;
  const rest = line.value.slice(1);
  switch (line.value[0]) {
    case "+":
      return { value: rest, used: line.used };
    case "-":
      return { value: { error: rest }, used: line.used };
    case ":":
      return { value: Number(rest), used: line.used };
    case "$":
      return takeBulk(bytes, line.used, Number(rest));
    case "*":
      return takeArray(bytes, line.used, Number(rest));
    default:
      throw new Error("it does not speak Redis' protocol");
  }
}

function takeBulk(bytes: Buffer, from: number, length: number): Taken<Reply> {
  if (length < 0) return { value: null, used: from };
  const used = from + length + 2;
  return bytes.length < used ? null : { value: bytes.toString("utf8", from, from + length), used };
}

function takeArray(bytes: Buffer, from: number, length: number): Taken<Reply> {
  const values: Reply[] = [];
  let used = from;
  while (values.length < length) {
    const next = takeReply(bytes.subarray(used));
    if (!next) return null;
    values.push(next.value);
    used += next.used;
  }
  return { value: length < 0 ? null : values, used };
}

function isError(reply: Reply): reply is { readonly error: string } {
  return typeof reply === "object" && reply !== null && "error" in reply;
}
