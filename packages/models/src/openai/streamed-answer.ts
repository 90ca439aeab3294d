import type { IncomingMessage } from "node:http";
import type { Readable, Transform } from "node:stream";
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

// A stream should end soon after its last event. If the server leaves it open for longer than this, the adapter closes the connection.
const AFTER_LAST_MS = 1000;

/** Wraps an answer of Node's client. */
export function streamedAnswer(message: IncomingMessage, bounds: AnswerBounds): StreamedAnswer {
  const header: HeaderOf = (name) => {
    const value = message.headers[name];
    return value === undefined ? null : String(value);
  };
  return {
    status: message.statusCode ?? 0,
    header,
    read: (onPiece) => readBody(message, decompressed(message, header("content-encoding")), bounds, onPiece),
    drop: () => void message.destroy(),
  };
}

function readBody(message: IncomingMessage, body: Readable, bounds: AnswerBounds, onPiece: (piece: Uint8Array) => boolean): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const meter = eventMeter(bounds);
  let timer: NodeJS.Timeout | null = null;
  let last = false;
  const fail = (error: unknown): void => {
    if (timer !== null) clearTimeout(timer);
    body.off("data", onData);
    body.destroy();
    message.destroy();
    reject(error);
  };
  // The first piece has no limit here, because the model thinks before it. One timer serves all pieces.
  const onSilence = (): void => {
    if (last) message.destroy();
    else fail(new AnswerStalled(bounds.silenceMs));
  };
  const onData = (piece: Uint8Array): void => {
    if (last) return;
    try {
      meter(piece);
      last = onPiece(piece);
    } catch (error) {
      fail(error);
      return;
    }
    if (last) {
      if (timer !== null) clearTimeout(timer);
      timer = setTimeout(onSilence, AFTER_LAST_MS);
      resolve();
    } else if (timer === null) timer = setTimeout(onSilence, bounds.silenceMs);
    else timer.refresh();
  };
  body.on("data", onData);
  body.once("end", () => {
    if (timer !== null) clearTimeout(timer);
    resolve();
  });
  // After the last piece, nobody waits for an error any more. Without a listener it would end the process.
  body.on("error", (error) => fail(new BrokenAnswer(error.message, { cause: error })));
  return promise;
}

// A server chooses the name, so it is looked up in a map and not in an object.
const DECOMPRESS: ReadonlyMap<string, () => Transform> = new Map([
  ["gzip", () => createGunzip()],
  ["x-gzip", () => createGunzip()],
  ["deflate", () => createInflate()],
  ["br", () => createBrotliDecompress()],
]);

/** Returns the body without its compression. A request asks for none, but some proxies compress anyway. */
function decompressed(message: IncomingMessage, encoding: string | null): Readable {
  const create = DECOMPRESS.get(encoding?.trim().toLowerCase() ?? "");
  if (create === undefined) return message;
  const body = create();
  message.once("error", (error) => body.destroy(error));
  message.pipe(body);
  return body;
}
