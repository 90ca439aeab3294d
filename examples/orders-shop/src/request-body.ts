import type { IncomingMessage } from "node:http";
import { type Answer, problem } from "./answer.ts";

export type RequestBody = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly answer: Answer };

/** The largest body in bytes. */
export const MAX_BODY = 64 * 1024;

/** Reads a JSON body of at most 64 KiB in UTF-8. The signal cuts off a body that arrives too slowly. */
export function readJsonBody(request: IncomingMessage, signal: AbortSignal): Promise<RequestBody> {
  const type = request.headers["content-type"] ?? "";
  if (!/^application\/json\s*(?:;\s*charset="?utf-8"?\s*)?$/iu.test(type) || request.headers["content-encoding"] !== undefined)
    return Promise.resolve(refused(415, "unsupported_media_type", "The body must be application/json in UTF-8, not compressed."));
  const { promise: late, resolve } = Promise.withResolvers<RequestBody>();
  const stop = (): void => resolve(CUT_OFF);
  signal.addEventListener("abort", stop, { once: true });
  return Promise.race([read(request), late]).finally(() => signal.removeEventListener("abort", stop));
}

const CLOSE = { connection: "close" } as const;
const CUT_OFF = refused(408, "body_cut_off", "The body did not arrive in time.", CLOSE);

async function read(request: IncomingMessage): Promise<RequestBody> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      if (!Buffer.isBuffer(chunk)) continue;
      size += chunk.length;
      if (size > MAX_BODY) return refused(413, "body_too_large", `The body may have ${MAX_BODY} bytes at most.`, CLOSE);
      chunks.push(chunk);
    }
  } catch {
    return CUT_OFF;
  }
  try {
    return { ok: true, value: JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks))) };
  } catch {
    return refused(400, "invalid_json", "The body is not JSON in UTF-8.");
  }
}

function refused(status: number, code: string, detail: string, headers: Answer["headers"] = {}): RequestBody {
  return { ok: false, answer: problem(status, code, detail, {}, headers) };
}
