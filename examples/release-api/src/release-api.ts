import { createServer, type IncomingMessage, type Server } from "node:http";
import { type Answer, problem, send } from "./answer.ts";
import type { RiskReport } from "./risk-report.ts";
import { openRiskReports, type RiskReportsOptions } from "./risk-reports.ts";
import { type Releases, type Respond, routes } from "./routes.ts";

/**
 * A running release API.
 *
 *     GET  /release-summary?release_id=…   what changed, how the tests went, how it behaves
 *     POST /risk-report                    files a risk report, once for each Idempotency-Key
 *     GET  /releases                       the ids that it knows, newest first
 *     GET  /risk-report/<id>, /risk-reports, /healthz
 *
 * A report is on the disk before it is answered, so a process that is killed loses none that anybody was told of.
 * It knows no users: it listens on the loopback interface unless told otherwise.
 */
export interface ReleaseApi {
  /** Where it listens, without a slash at the end. */
  readonly url: string;
  /** Every report filed so far, oldest first. */
  reports(): readonly RiskReport[];
  /** Accepts no more requests, lets active ones end for up to 5 seconds, then frees the port and the folder. Safe to call twice. */
  stop(): Promise<void>;
}

/**
 * For tests that have to know about the effect: `beforeEffect` is awaited before a new report is stored, `afterEffect` when it is on the disk and not yet
 * answered. `onEffect` is called for each new report.
 */
export interface ReleaseApiOptions extends RiskReportsOptions {
  /** The loopback interface by default. */
  readonly host?: string | undefined;
  /** Any free port by default. */
  readonly port?: number | undefined;
  readonly releases: Releases;
  /** Called with the reason why a request was answered with 503. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

const BODY_DEADLINE_MS = 10_000;
const STOP_DEADLINE_MS = 5_000;

/** Starts the API. `directory` holds its reports and belongs to one process at a time. Throws if the folder or the port is unavailable. */
export async function startReleaseApi({
  host = "127.0.0.1",
  port = 0,
  releases,
  onError,
  ...options
}: ReleaseApiOptions): Promise<ReleaseApi> {
  const reports = await openRiskReports(options);
  const respond = routes(releases, reports);
  const server = createServer(
    { headersTimeout: BODY_DEADLINE_MS, requestTimeout: 2 * BODY_DEADLINE_MS, maxHeaderSize: 16 * 1024 },
    (request, response) => {
      void answerTo(request, respond, onError).then((answer) => {
        // A connection that is kept for the next request would hold up the stop.
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
      stopped ??= closeServer(server).then(() => reports.close());
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
