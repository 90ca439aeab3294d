import type { ReadableSpan, SpanProcessor } from "@opentelemetry/sdk-trace";
import type { BatchSettings } from "../settings.ts";
import { protobufSink, type ProtobufSink } from "./protobuf-sink.ts";
import { exportRequest, type SpansBytes, writeSpan } from "./span-protobuf.ts";

/** Sends the body of a request. Rejects if it was not accepted in time. */
export type SendSpans = (body: Uint8Array) => Promise<void>;

export interface SpanBatchesOptions {
  readonly batches: BatchSettings;
  readonly send: SendSpans;
  /** Receives the error of a batch that was not sent. */
  readonly onFailed: (error: unknown) => void;
  /** Receives how many spans were dropped since the last time, because the queue was full. */
  readonly onDropped: (spans: number) => void;
  /** Stops the sender. */
  readonly close: () => Promise<void>;
}

/**
 * Collects ended spans into batches as the SDK's own processor does, with the same limits, and sends one batch after the other. But it keeps the bytes
 * of a span and not the span itself. So a span is encoded while it is fresh, no garbage collection has to move it, and a full queue has a known size.
 * If the collector is slow or absent, the queue fills up, and then spans are dropped and counted.
 */
export function spanBatches({ batches, send, onFailed, onDropped, close }: SpanBatchesOptions): SpanProcessor {
  const mostWaiting = batches.maxQueueSize ?? 2048;
  const mostInBatch = Math.min(batches.maxExportBatchSize ?? 512, mostWaiting);
  const delayMs = batches.scheduledDelayMillis ?? 5000;
  const timeoutMs = batches.exportTimeoutMillis ?? 30_000;
  let open = newBatch();
  /** The buffer of the last batch, for the next one. New buffers of this size would make garbage collections more frequent. */
  let spare: ProtobufSink | null = null;
  const sealed: Batch[] = [];
  let waiting = 0;
  let dropped = 0;
  let timer: NodeJS.Timeout | undefined;
  let sending: Promise<void> | null = null;
  let stopped: Promise<void> | null = null;
  return { onStart: () => undefined, onEnd, forceFlush: flush, shutdown: () => (stopped ??= stop()) };

  function onEnd(span: ReadableSpan): void {
    if (stopped || (span.spanContext().traceFlags & 1) === 0) return;
    if (waiting >= mostWaiting) {
      dropped++;
      return;
    }
    if (!written(partFor(open, span, newSink).spans, span)) return;
    waiting++;
    if (++open.count >= mostInBatch) {
      seal();
      void sendSealed();
    } else timer ??= setTimeout(onTimer, delayMs).unref();
  }

  /** A span of a tool may be none at all, for example without a name. The code that ends it must not get the error. */
  function written(to: ProtobufSink, span: ReadableSpan): boolean {
    const start = to.at;
    try {
      writeSpan(to, span);
      return true;
    } catch (error) {
      to.at = start;
      onFailed(error);
      return false;
    }
  }

  function onTimer(): void {
    timer = undefined;
    seal();
    void sendSealed();
  }

  function seal(): void {
    if (open.count === 0) return;
    sealed.push(open);
    open = newBatch();
  }

  /** Sends what has ended so far. */
  async function flush(): Promise<void> {
    seal();
    while (sending || sealed.length > 0) await sendSealed();
  }

  function sendSealed(): Promise<void> {
    sending ??= sendAll().finally(() => {
      sending = null;
      // A batch may have been sealed after the last one was sent and before this runs.
      if (sealed.length > 0) void sendSealed();
    });
    return sending;
  }

  async function sendAll(): Promise<void> {
    for (let batch = sealed.shift(); batch; batch = sealed.shift()) {
      waiting -= batch.count;
      await within(timeoutMs, () => send(bodyOf(batch))).catch(onFailed);
      report();
    }
  }

  function bodyOf({ parts }: Batch): Uint8Array {
    const body = exportRequest(parts);
    for (const { spans } of parts) if (spans.bytes.length <= MOST_SPARE_BYTES) spare = spans;
    return body;
  }

  function newSink(): ProtobufSink {
    const sink = spare ?? protobufSink();
    spare = null;
    sink.at = 0;
    return sink;
  }

  function report(): void {
    if (dropped === 0) return;
    onDropped(dropped);
    dropped = 0;
  }

  async function stop(): Promise<void> {
    clearTimeout(timer);
    await flush();
    report();
    await close();
  }
}

const MOST_SPARE_BYTES = 1_048_576;

interface Batch {
  count: number;
  readonly parts: SpansBytes[];
}

function newBatch(): Batch {
  return { count: 0, parts: [] };
}

/** Returns the part of the batch for the scope of this span. Almost all spans have one scope, so there are few parts. */
function partFor({ parts }: Batch, { resource, instrumentationScope: scope }: ReadableSpan, newSink: () => ProtobufSink): SpansBytes {
  for (const part of parts) if (part.scope === scope && part.resource === resource) return part;
  const part: SpansBytes = { resource, scope, spans: newSink() };
  parts.push(part);
  return part;
}

async function within(ms: number, work: () => Promise<void>): Promise<void> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(Object.assign(new Error("The collector did not answer in time."), { code: "timeout" })), ms);
  try {
    await Promise.race([work(), late]);
  } finally {
    clearTimeout(timer);
  }
}
