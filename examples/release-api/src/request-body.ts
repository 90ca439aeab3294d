import type { IncomingMessage } from "node:http";

/** A request body, or the reason why it is invalid. */
export type RequestBody =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problem: "too_large" | "not_json" | "cut_off" };

/** The largest body in bytes. */
export const MAX_BODY = 256 * 1024;

/** Reads a JSON body of at most 256 KiB in UTF-8. Stops reading if the client disconnects, or if the client is too slow and the signal aborts. */
export function readJsonBody(request: IncomingMessage, signal: AbortSignal): Promise<RequestBody> {
  const { promise: late, resolve } = Promise.withResolvers<RequestBody>();
  const stop = () => resolve({ ok: false, problem: "cut_off" });
  signal.addEventListener("abort", stop, { once: true });
  return Promise.race([read(request), late]).finally(() => signal.removeEventListener("abort", stop));
}

const DRAINED = 4 * MAX_BODY;

async function read(request: IncomingMessage): Promise<RequestBody> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      if (!Buffer.isBuffer(chunk)) continue;
      size += chunk.length;
      if (size <= MAX_BODY) chunks.push(chunk);
      // A client that is still sending does not read the answer yet. So a body that is only slightly too large is read to its end before it is
      // refused.
      else if (size > DRAINED) break;
    }
  } catch {
    return { ok: false, problem: "cut_off" };
  }
  return size > MAX_BODY ? { ok: false, problem: "too_large" } : parse(Buffer.concat(chunks));
}

function parse(bytes: Buffer): RequestBody {
  try {
    return { ok: true, value: JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)) };
  } catch {
    return { ok: false, problem: "not_json" };
  }
}
