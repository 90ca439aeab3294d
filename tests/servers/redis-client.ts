import { once } from "node:events";
import { connect } from "node:net";

export type RedisReply = string | number | null | readonly RedisReply[];

/** A small client for things that a store never does: it changes settings and users, and reads keys. It handles one request at a time. */
export interface RedisClient extends AsyncDisposable {
  /** Sends a command and returns the reply. Rejects with the server's message if the server refuses. */
  ask(...words: readonly string[]): Promise<RedisReply>;
}

type Taken = { readonly value: RedisReply | Error; readonly used: number } | null;

const DEADLINE_MS = 10_000;

export async function redisClient(url: string): Promise<RedisClient> {
  const { hostname, port, username, password } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port || 6379), noDelay: true });
  socket.on("timeout", () => socket.destroy(new Error(`Redis said nothing for ${DEADLINE_MS} ms.`)));
  let bytes: Buffer = Buffer.alloc(0);
  let answered = Promise.withResolvers<RedisReply>();
  socket.on("data", (chunk) => {
    bytes = Buffer.concat([bytes, chunk]);
    const taken = take(bytes, 0);
    if (!taken) return;
    bytes = bytes.subarray(taken.used);
    // The deadline applies only to answers. Between answers, a test may take as long as it needs.
    socket.setTimeout(0);
    if (taken.value instanceof Error) answered.reject(taken.value);
    else answered.resolve(taken.value);
  });
  socket.on("error", (error) => answered.reject(error));
  socket.on("close", () => answered.reject(new Error("The connection to Redis is closed.")));
  // If nobody waits for an answer, its rejection is not an error.
  answered.promise.catch(() => undefined);
  await once(socket, "connect");
  if (password !== "") await ask("AUTH", ...(username === "" ? [] : [username]), password);
  return {
    ask,
    async [Symbol.asyncDispose]() {
      // "close" is emitted only once, and that may have been long ago.
      if (socket.closed) return;
      const closed = once(socket, "close");
      socket.destroy();
      await closed;
    },
  };

  function ask(...words: readonly string[]): Promise<RedisReply> {
    answered = Promise.withResolvers();
    answered.promise.catch(() => undefined);
    if (socket.destroyed) answered.reject(new Error("The connection to Redis is closed."));
    socket.setTimeout(DEADLINE_MS);
    socket.write(`*${words.length}\r\n${words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join("")}`);
    return answered.promise;
  }
}

/** Parses one reply of version 2 of the protocol. Returns null if the reply is incomplete. */
function take(bytes: Buffer, from: number): Taken {
  const end = bytes.indexOf("\r\n", from);
  if (end < 0) return null;
  const rest = bytes.toString("utf8", from + 1, end);
  const used = end + 2;
  switch (String.fromCharCode(bytes[from] ?? 0)) {
    case "+":
      return { value: rest, used };
    case "-":
      return { value: new Error(rest), used };
    case ":":
      return { value: Number(rest), used };
    case "$": {
      if (rest === "-1") return { value: null, used };
      const last = used + Number(rest);
      return bytes.length < last + 2 ? null : { value: bytes.toString("utf8", used, last), used: last + 2 };
    }
    default:
      return takeList(bytes, used, Number(rest));
  }
}

function takeList(bytes: Buffer, from: number, length: number): Taken {
  const values: RedisReply[] = [];
  let used = from;
  for (let n = 0; n < length; n++) {
    const taken = take(bytes, used);
    if (!taken || taken.value instanceof Error) return taken;
    values.push(taken.value);
    used = taken.used;
  }
  return { value: length < 0 ? null : values, used };
}
