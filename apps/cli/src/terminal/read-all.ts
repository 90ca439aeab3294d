import { EXIT } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";

/** Reads a stream to its end as UTF-8. Throws a Failure if the stream has more than `maxBytes`, and the signal's reason when it aborts. */
export async function readAll(input: NodeJS.ReadStream, maxBytes: number, signal: AbortSignal): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  const stop = (): void => void input.destroy();
  signal.addEventListener("abort", stop, { once: true });
  try {
    for await (const chunk of input as AsyncIterable<Buffer | string>) {
      const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
      size += bytes.length;
      if (size > maxBytes) throw new Failure(EXIT.usage, `Standard input holds more than ${maxBytes} bytes: give less.`);
      chunks.push(bytes);
    }
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener("abort", stop);
  }
  signal.throwIfAborted();
  return Buffer.concat(chunks).toString("utf8");
}
