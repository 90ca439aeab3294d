import { createServer, type IncomingMessage, type Server } from "node:http";
import { type Answer, problem, send } from "./answer.ts";
import type { RiskReport } from "./risk-report.ts";
import { openRiskReports, type RiskReportsOptions } from "./risk-reports.ts";
import { type Evidence, type Releases, type Respond, routes } from "./routes.ts";

/**
 * A release API that was started.
 *
 *     GET  /release-summary?release_id=…   what changed, the test results, the metrics
 *     POST /risk-report                    files a risk report, once for each Idempotency-Key
 *     GET  /test-details, /code-changes, /past-releases, /observability-traces   the evidence beside the summary
 *     GET  /releases                       the ids that it knows, newest first
 *     GET  /risk-report/<id>, /risk-reports, /healthz
 *
 * A report is on the disk before the request is answered. So a killed process loses no report that a client knows of.
 * The API has no users, so by default it listens only on the loopback interface.
 */
export interface ReleaseApi {
  /** The address of the API, without a slash at the end. */
  readonly url: string;
  /** Returns every report filed so far, oldest first. */
  reports(): readonly RiskReport[];
  /** Accepts no more requests, gives active ones up to 5 seconds, and then releases the port and the folder. Safe to call twice. */
  stop(): Promise<void>;
}

/**
 * Options of the API. Tests can use three hooks. The API awaits `beforeEffect` before it stores a new report. It awaits `afterEffect` when the report
 * is on disk and the request is not answered yet. It calls `onEffect` for each new report.
 */
export interface ReleaseApiOptions extends RiskReportsOptions {
  /** The address to listen on. The default is the loopback interface. */
  readonly host?: string | undefined;
  /** The port to listen on. The default is any free port. */
  readonly port?: number | undefined;
  readonly releases: Releases;
  /** The evidence beside the summaries. The default is none. */
  readonly evidence?: Evidence | undefined;
  /** Called with the reason why a request was answered with 503. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

const BODY_DEADLINE_MS = 10_000;
const STOP_DEADLINE_MS = 5_000;

/**
 * Starts the API. `directory` contains the API's reports. Only one process may use the directory at a time. Throws if the directory or the port is
 * unavailable.
 */
export async function startReleaseApi({
  host = "127.0.0.1",
  port = 0,
  releases,
  evidence = new Map(),
  onError,
  ...options
}: ReleaseApiOptions): Promise<ReleaseApi> {
  const reports = await openRiskReports(options);
  const respond = routes(releases, reports, evidence);
  const server = createServer(
    { headersTimeout: BODY_DEADLINE_MS, requestTimeout: 2 * BODY_DEADLINE_MS, maxHeaderSize: 16 * 1024 },
    (request, response) => {
      void answerTo(request, respond, onError).then((answer) => {
        // A connection that is kept open for the next request would delay the stop.
        if (!server.listening) response.setHeader("connection", "close");
        send(response, answer);
      });
    },
  );
  try {
    await listen(server, host, port);
  } catch (error) {
    await reports.close();
    throw error;
  }

  let stopped: Promise<void> | undefined;
  return {
    url: addressOf(server, host),
    reports: () => reports.all(),
    stop() {
      stopped ??= closeServer(server).then(() => {
        for (const id of releases.keys()) evidence.get(id)?.stop();
        return reports.close();
      });
      return stopped;
    },
  };
}

async function answerTo(request: IncomingMessage, respond: Respond, onError: ReleaseApiOptions["onError"]): Promise<Answer> {
  try {
    return await respond(request, AbortSignal.timeout(BODY_DEADLINE_MS));
  } catch (error) {
    onError?.(error);
    const message = "The release API cannot read or store its records; repeat the request, with the same Idempotency-Key if it had one.";
    return problem(503, "unavailable", message);
  }
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

function addressOf(server: Server, host: string): string {
  const address = server.address();
  const port = typeof address === "object" ? address?.port : address;
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

async function closeServer(server: Server): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  const deadline = setTimeout(() => server.closeAllConnections(), STOP_DEADLINE_MS);
  await promise;
  clearTimeout(deadline);
}
