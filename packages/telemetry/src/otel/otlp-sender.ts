import { ExportResultCode } from "@opentelemetry/core";
import { createOtlpHttpExportDelegate, getSharedConfigurationFromEnvironment } from "@opentelemetry/otlp-exporter-base/node-http";
import type { OtlpTarget } from "../settings.ts";
import type { CollectorConnections } from "./collector.ts";

/** Sends requests that are already encoded. */
export interface OtlpSender {
  /** Rejects if the collector did not accept the request, also after the repetitions that the SDK makes. */
  send(body: Uint8Array): Promise<void>;
  close(): Promise<void>;
}

/** The SDK's own exporter of spans has this limit as well. Our batches are sent one after the other. */
const CONCURRENT = 30;

/** Returns a sender that uses the SDK's transport, with its repetitions, time limit and compression. Only the serializer is not the SDK's. */
export function otlpSpanSender(target: OtlpTarget, connections: CollectorConnections): OtlpSender {
  const { url, headers, timeoutMillis, httpAgentOptions } = connections.optionsFor(target);
  const delegate = createOtlpHttpExportDelegate<Uint8Array, object>(
    {
      url,
      headers: () => Promise.resolve({ ...headers, "Content-Type": "application/x-protobuf" }),
      timeoutMillis,
      concurrencyLimit: CONCURRENT,
      // As for the other signals, the SDK itself reads this variable.
      compression: getSharedConfigurationFromEnvironment("TRACES").compression ?? "none",
      agentFactory: httpAgentOptions,
    },
    { serializeRequest: (body) => body, deserializeResponse: () => ({}) },
    "otlp_http_span_exporter",
    { name: "span", countItems: () => 1 },
    undefined,
  );
  return {
    send: (body) =>
      new Promise((resolve, reject) => {
        delegate.export(body, ({ code, error }) => {
          if (code === ExportResultCode.SUCCESS) resolve();
          else reject(error ?? new Error("The collector refused the spans."));
        });
      }),
    close: () => delegate.shutdown(),
  };
}
