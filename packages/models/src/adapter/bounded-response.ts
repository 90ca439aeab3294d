import { AnswerStalled } from "../model-errors.ts";
import type { AnswerBounds } from "./answer-bounds.ts";
import type { AnswerMeter } from "./answer-meter.ts";

/**
 * Returns the same answer with a body that is read only on demand. When the answer exceeds a limit, the body fails with `AnswerTooLarge` or
 * `AnswerStalled` and closes its connection. The meter sees decompressed data, so that a small compressed answer cannot become a large one.
 */
export function boundedResponse(response: Response, meter: AnswerMeter, bounds: AnswerBounds): Response {
  const { status, statusText, headers, body } = response;
  if (body === null) return response;
  return new Response(boundedBody(body, meter, bounds), { status, statusText, headers });
}

/** Applies the limits to a body. */
export function boundedBody(body: ReadableStream<Uint8Array>, meter: AnswerMeter, { silenceMs }: AnswerBounds): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let begun = false;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = begun ? await withoutSilence(reader, silenceMs) : await reader.read();
          if (done) return controller.close();
          begun = true;
          meter(value);
          controller.enqueue(value);
        } catch (error) {
          void reader.cancel(error).catch(() => undefined);
          throw error;
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    // The stream does not read ahead, so data that nobody requests stays with the sender.
    { highWaterMark: 0 },
  );
}

async function withoutSilence(reader: ReadableStreamDefaultReader<Uint8Array>, silenceMs: number): ReturnType<typeof reader.read> {
  const { promise: silent, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new AnswerStalled(silenceMs)), silenceMs);
  try {
    return await Promise.race([reader.read(), silent]);
  } finally {
    clearTimeout(timer);
  }
}
