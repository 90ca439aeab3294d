import type { IncomingHttpHeaders } from "node:http";
import type { Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import type { AnswerBounds } from "../adapter/answer-bounds.ts";
import { eventMeter } from "../adapter/answer-meter.ts";
import { AnswerStalled } from "../model-errors.ts";

/** Returns a header of an answer by its name in lower case, or null. */
export type HeaderOf = (name: string) => string | null;

/** The connection broke before the body was complete. The cause is the error of the network, or of the compression. */
export class BrokenAnswer extends Error {
  override readonly name = "BrokenAnswer";
}

/** An answer whose body still arrives. Somebody must call `read` or `drop`. */
export interface StreamedAnswer {
  readonly status: number;
  readonly header: HeaderOf;
  /**
   * Passes each piece of the body to `onPiece`, after decompression, until the body ends or `onPiece` returns true for the last piece. Then it reads the
   * rest in the background, so that the connection can be reused. Rejects with `AnswerTooLarge` or `AnswerStalled` at a limit, with the error that
   * `onPiece` throws, or with `BrokenAnswer` if the body is incomplete, and closes the connection.
   */
  read(onPiece: (piece: Uint8Array) => boolean): Promise<void>;
  /** Closes the connection. Nothing more arrives. */
  drop(): void;
}

/** The side of an answer that receives it from the network. */
export interface ArrivingAnswer extends StreamedAnswer {
  push(piece: Uint8Array): void;
  end(): void;
  fail(error: Error): void;
}

/** The connection of an answer. */
export interface Connection {
  pause(): void;
  resume(): void;
  /** Closes the connection. Does nothing after the end of the answer. */
  abort(reason: Error): void;
}

// A stream should end soon after its last event. If the server leaves it open for longer than this, the adapter closes the connection.
const AFTER_LAST_MS = 1000;

/** Returns the answer that arrives over this connection. Until somebody calls `read`, it keeps what arrives. */
export function arrivingAnswer(status: number, headers: IncomingHttpHeaders, bounds: AnswerBounds, connection: Connection): ArrivingAnswer {
  const header: HeaderOf = (name) => {
    const value = headers[name];
    return value === undefined ? null : String(value);
  };
  const body = bodyReader(bounds, connection);
  const { push, end, fail } = decompressed(body, header("content-encoding"), connection);
  return { status, header, push, end, fail, read: body.read, drop: body.drop };
}

type Sink = Pick<ArrivingAnswer, "push" | "end" | "fail">;

function bodyReader(bounds: AnswerBounds, connection: Connection): Sink & Pick<StreamedAnswer, "read" | "drop"> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const meter = eventMeter(bounds);
  let onPiece: (piece: Uint8Array) => boolean = () => false;
  /** What arrived before somebody reads, or null after that. */
  let early: (() => void)[] | null = [];
  let timer: NodeJS.Timeout | null = null;
  let last = false;
  let over = false;
  return {
    push: (piece) => (early === null ? take(piece) : void early.push(() => take(piece))),
    end: () => (early === null ? end() : void early.push(end)),
    fail(error) {
      const broken = new BrokenAnswer(error.message, { cause: error });
      if (early === null) stop(broken);
      else early.push(() => stop(broken));
    },
    read(listener) {
      onPiece = listener;
      const acts = early ?? [];
      early = null;
      for (const act of acts) act();
      return promise;
    },
    drop: () => connection.abort(DROPPED),
  };

  function take(piece: Uint8Array): void {
    if (last || over) return;
    try {
      meter(piece);
      last = onPiece(piece);
    } catch (error) {
      stop(error);
      return;
    }
    if (last) {
      clearTimeout(timer ?? undefined);
      timer = setTimeout(onSilence, AFTER_LAST_MS);
      resolve();
    } else if (timer === null) timer = setTimeout(onSilence, bounds.silenceMs);
    else timer.refresh();
  }

  // The first piece has no limit here, because the model thinks before it. One timer serves all pieces.
  function onSilence(): void {
    stop(new AnswerStalled(bounds.silenceMs));
  }

  function end(): void {
    over = true;
    clearTimeout(timer ?? undefined);
    resolve();
  }

  /** Ends the reading and closes the connection. After the last piece nobody is told, because the answer is whole. */
  function stop(error: unknown): void {
    if (over) return;
    over = true;
    clearTimeout(timer ?? undefined);
    reject(error);
    connection.abort(DROPPED);
  }
}

const DROPPED = new Error("the rest of the answer is not wanted");

// A server chooses the name, so it is looked up in a map and not in an object.
const DECOMPRESS: ReadonlyMap<string, () => Transform> = new Map([
  ["gzip", () => createGunzip()],
  ["x-gzip", () => createGunzip()],
  ["deflate", () => createInflate()],
  ["br", () => createBrotliDecompress()],
]);

/** Returns a sink that passes on what it receives without its compression. A request asks for none, but some proxies compress anyway. */
function decompressed(body: Sink, encoding: string | null, connection: Connection): Sink {
  const create = DECOMPRESS.get(encoding?.trim().toLowerCase() ?? "");
  if (create === undefined) return body;
  const stream = create();
  stream
    .on("data", body.push)
    .on("end", body.end)
    .on("error", body.fail)
    .on("drain", () => connection.resume());
  return {
    push(piece) {
      if (!stream.write(piece)) connection.pause();
    },
    end: () => void stream.end(),
    fail(error) {
      stream.destroy();
      body.fail(error);
    },
  };
}
