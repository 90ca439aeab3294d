import { readFileSync } from "node:fs";
import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import { TelemetryRefused } from "../refused.ts";
import type { OtlpTarget } from "../settings.ts";

/** Connections to collectors that can be closed at any time, because a collector that does not answer must not keep a process alive. */
export interface CollectorConnections {
  /** Returns the options of an OpenTelemetry exporter for one target. */
  optionsFor(target: OtlpTarget): ExporterOptions;
  /** Breaks the open connections and refuses new ones. */
  giveUp(): void;
}

interface ExporterOptions {
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly timeoutMillis: number;
  readonly httpAgentOptions: () => HttpAgent;
}

export function collectorConnections(): CollectorConnections {
  const agents: HttpAgent[] = [];
  return {
    optionsFor({ url, headers, timeoutMs, tls }) {
      const agent = url.startsWith("https:")
        ? new HttpsAgent({ keepAlive: true, ...certificates(tls) })
        : new HttpAgent({ keepAlive: true });
      agents.push(agent);
      return { url, headers: { ...headers }, timeoutMillis: timeoutMs, httpAgentOptions: () => agent };
    },
    giveUp() {
      for (const agent of agents) {
        agent.createConnection = () => {
          throw new Error("The process stops; what was not exported is dropped.");
        };
        agent.destroy();
      }
    },
  };
}

function certificates(tls: OtlpTarget["tls"]): Readonly<Record<string, Buffer>> {
  return Object.fromEntries(
    Object.entries(tls).map(([name, file]) => {
      try {
        return [name, readFileSync(file)];
      } catch (error) {
        throw new TelemetryRefused(
          `The certificate file ${file} cannot be read (${(error as NodeJS.ErrnoException).code ?? "unknown"}): fix OTEL_EXPORTER_OTLP_CERTIFICATE, _CLIENT_CERTIFICATE or _CLIENT_KEY.`,
        );
      }
    }),
  );
}
