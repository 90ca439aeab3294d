// This is the child process of own-sdk.test.ts. It is a process of ours that was started with `--import` of own-sdk-setup.ts. It reports what the
// user's SDK received.
import { Writable } from "node:stream";
import { context, ROOT_CONTEXT, SpanKind, trace } from "@opentelemetry/api";
import { createLog, measure, metricNames, startTelemetry, withSpan } from "./index.ts";
import { measurements, reader, records, spans } from "./own-sdk-setup.ts";

const REQUEST = `00-${"a".repeat(32)}-${"b".repeat(16)}-01`;
const warned: unknown[] = [];
const destination = new Writable({
  write(chunk, _encoding, done) {
    warned.push((JSON.parse(String(chunk)) as { readonly msg: string }).msg);
    done();
  },
});
const log = createLog({ name: "child", level: "warn", destination });

const telemetry = await startTelemetry({
  env: process.env,
  serviceName: "ours",
  log,
  newKey: () => "k".repeat(43),
  monotonic: () => performance.now(),
}).catch((error: unknown) => String(error));
if (typeof telemetry === "string") process.stdout.write(JSON.stringify({ refused: telemetry }));
else {
  const tracer = trace.getTracer("the user's");
  // This is like the user's instrumentation of Node's HTTP server around a request of ours.
  const server = tracer.startSpan("their request", { kind: SpanKind.SERVER }, remote(REQUEST));
  await context.with(trace.setSpan(remote(REQUEST), server), () =>
    withSpan("our request", { kind: "server", parent: { how: "received", carrier: { traceparent: REQUEST } } }, async () => {
      log.warn({}, "said");
      measure(metricNames.toolInvocations, 1, { tool_name: "t", status: "ok" });
      // This is like one of the user's tools within a call.
      await tracer.startActiveSpan("their step", async (step) => step.end());
    }),
  );
  server.end();
  await telemetry.shutdown(1000);
  // The user owns the SDK, so it must still work.
  tracer.startSpan("after ours has stopped").end();
  await reader.forceFlush();
  const finished = spans.getFinishedSpans();
  const nameOf = (id: string | undefined) => finished.find((span) => span.spanContext().spanId === id)?.name ?? id ?? "";
  process.stdout.write(
    JSON.stringify({
      spans: Object.fromEntries(finished.map(({ name, parentSpanContext }) => [name, nameOf(parentSpanContext?.spanId)])),
      services: [...new Set(finished.map(({ resource }) => resource.attributes["service.name"]))],
      metrics: measurements
        .getMetrics()
        .flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics.map(({ descriptor }) => descriptor.name))),
      warned,
      logs: records.getFinishedLogRecords().map(({ body }) => body),
    }),
  );
}

function remote(traceparent: string) {
  const [, traceId = "", spanId = ""] = traceparent.split("-");
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags: 1, isRemote: true });
}
