import path from "node:path";
import { localReleaseApi, modelEnvironment, modelInWords } from "@toolbus/all-in-one";
import { counted, type RunEnd, type Severity, verdictIn } from "@toolbus/contracts";
import { loadRelease, type ReleaseSummary } from "@toolbus/example-release-api";
import { Refusal } from "@toolbus/runtime";
import { client } from "../http/client.ts";
import { watchRun } from "../runs/watch-run.ts";
import { safeJson } from "../terminal/safe-json.ts";
import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";
import { decideApproval, type Decided } from "./approver.ts";
import type { DemoArguments } from "./arguments.ts";
import { finish, takeUp } from "./carry-on.ts";
import { type Screen, screen } from "./screen.ts";
import { startSystem } from "./system.ts";

export interface DemoSurroundings {
  readonly root: string;
  /** The folder that is the base of typed paths. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  readonly signal: AbortSignal;
}

/** Runs the investigation of a release up to its filed report and returns the exit code. Throws a Refusal for anything that a person must fix. */
export async function runDemo(args: DemoArguments, around: DemoSurroundings): Promise<ExitCode> {
  const show = args.json ? null : screen(around.output);
  const model = await modelInWords(around.env);
  show?.line(`Model: ${model}.`);
  const here = (file: string): string => path.resolve(around.cwd, file);
  const directory = args.data === undefined ? path.join(around.root, ".toolbus", "demo") : here(args.data);
  const loaded = await loadRelease({
    repo: args.repo === undefined ? around.root : here(args.repo),
    from: args.from,
    to: args.to,
    junit: args.junit && here(args.junit),
    metrics: args.metrics && here(args.metrics),
    allowRecorded: args.repo === undefined,
    environment: around.env,
    signal: around.signal,
  });
  if (!loaded.ok) throw new Refusal(loaded.message);
  const { release, evidence } = loaded;
  for (const note of loaded.notes) show?.line(note);
  show?.line(
    `Release ${release.release_id}: ${counted(release.change_count, "change")}, ${counted(release.files.changed, "file")}, +${release.files.insertions} -${release.files.deletions}.`,
  );

  const api = await localReleaseApi(directory, release, evidence);
  try {
    const system = await startSystem({
      directory,
      apart: args.apart?.permissions === undefined ? args.apart : { ...args.apart, permissions: here(args.apart.permissions) },
      env: { ...settingsOf(around.env), RELEASE_API_URL: api.url },
      say: (text) => show?.line(text),
      signal: around.signal,
    });
    try {
      return await investigate();
    } finally {
      await system.stop();
    }

    async function investigate(): Promise<ExitCode> {
      const gateway = client({ url: system.gatewayUrl, service: "gateway", key: system.keys.user });
      // If there are two gateways, the demo reads the stream at the one that did not start the run.
      const stream = client({ url: system.streamUrl, service: "gateway", key: system.keys.user });
      const approvals = client({ url: system.approvalsUrl, service: "approvals", key: system.keys.approver });
      const { undertaking, carriedOn } = await takeUp(directory, subjectOf(release));
      const run = (await gateway.post("/v1/investigations", { releaseId: release.release_id }, { "idempotency-key": undertaking.key })) as {
        readonly runId: string;
      };
      show?.line(carriedOn ? `Continuing run ${run.runId}, which was interrupted.` : `Run ${run.runId}`);
      const approver = decideApproval({
        approvals,
        decision: args.decision,
        show,
        input: around.input,
        output: around.output,
        signal: around.signal,
      });
      const watching = new AbortController();
      const end = await Promise.race([
        watchRun(stream, run.runId, {
          onItem: (item) => (show?.item(item), approver.onItem(item)),
          signal: AbortSignal.any([around.signal, watching.signal]),
        }),
        approver.leftPending,
      ]);
      watching.abort();
      if (end === "pending") return pending(show, run.runId, approver.decided(), directory, args.json, around.output);
      await finish(directory, undertaking);
      const where = [
        `state     ${system.state}`,
        `reports   ${path.join(directory, "release-api", "risk-reports.jsonl")}`,
        "The next run of this command continues with the same data.",
      ];
      show?.report(end, where);
      const code = exitCode(end, args.failOn);
      if (args.json) around.output.write(`${safeJson(document(end, run.runId, release, approver.decided(), directory, code), 2)}\n`);
      return code;
    }
  } finally {
    await api.stop();
  }
}

/** Returns the subject of the investigation. It includes the tests and the metrics, because the report depends on them. */
function subjectOf({ release_id, from, to, tests, deployment_metrics }: ReleaseSummary): string {
  return JSON.stringify([release_id, from, to, tests ?? null, deployment_metrics ?? null]);
}

function exitCode(end: RunEnd, failOn: DemoArguments["failOn"]): ExitCode {
  if (end.type === "run.failed" || end.type === "run.cancelled") return EXIT.failed;
  const severity = end.report?.severity;
  // Without a severity there is no verdict, so the exit code must not let a pipeline pass.
  if (!severity) return EXIT.failed;
  const order: readonly Severity[] = ["low", "medium", "high"];
  return failOn && order.indexOf(severity) >= order.indexOf(failOn) ? EXIT.condition : EXIT.ok;
}

function pending(
  show: Screen | null,
  runId: string,
  decided: readonly Decided[],
  directory: string,
  json: boolean,
  output: NodeJS.WriteStream,
): ExitCode {
  const asked = decided.findLast((one) => one.decision === null);
  show?.line(
    "There is no terminal to ask at, so the approval stays pending. Run the same command with --approve or --deny, or in a terminal, to continue.",
  );
  if (json)
    output.write(`${safeJson({ status: "pending", runId, approval: asked ?? null, data: directory, exitCode: EXIT.pending }, 2)}\n`);
  return EXIT.pending;
}

function document(
  end: RunEnd,
  runId: string,
  release: { readonly release_id: string; readonly source: string },
  approvals: readonly Decided[],
  directory: string,
  code: number,
): object {
  return {
    status: end.type.slice("run.".length),
    runId,
    release: { id: release.release_id, source: release.source },
    severity: end.report?.severity ?? null,
    findings: end.report?.findings ?? [],
    verdict: end.report?.severity ? verdictIn(end.report.findings) : null,
    filing: end.report?.filing ?? null,
    evidence: end.report?.evidence ?? [],
    answer: end.type === "run.completed" ? end.text : null,
    error: end.type === "run.failed" ? { code: end.code, message: end.message } : null,
    approvals,
    usage: end.usage,
    data: directory,
    exitCode: code,
  };
}

/** Returns the settings that the demo accepts from its environment. The demo chooses its ports, keys and store itself. */
function settingsOf(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const { LOG_LEVEL, LOG_FORMAT } = env;
  // The demo shows its run itself, so services log only warnings and errors. They log text even if standard error is not a terminal.
  return { LOG_LEVEL: LOG_LEVEL || "warn", LOG_FORMAT: LOG_FORMAT || "text", ...modelEnvironment(env) };
}
