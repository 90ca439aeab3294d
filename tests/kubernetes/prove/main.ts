import { parseArgs } from "node:util";
import { badInput } from "./bad-input.ts";
import { type Cluster, configure, findCluster } from "./cluster.ts";
import { type Disturbance, killPods, killServers, rollOut, SERVICES } from "./disturbances.ts";
import { areWhole, metricsOf } from "./metrics.ts";
import { rightsOfSecret } from "./rights.ts";
import { scaling } from "./scaling.ts";
import { nothingLost, steadyLoad } from "./steady-load.ts";
import { type Row, tableOf } from "./table.ts";

const HELP = `Proves on a cluster that pods may be restarted, deleted and scaled under load. First start the overlay: deploy/k8s/try.sh OVERLAY.

  npm run prove-kubernetes -- --overlay rabbitmq [rollouts] [kills] [servers] [scaling] [rights] [bad-input] [metrics]     (default: all)

  --overlay NAME    rabbitmq or nats
  --rate N          investigations a second (default: 5)
  --minutes N       how long pods are deleted (default: 5)
  --json            print the report as JSON

It runs where the Services of the cluster can be reached, such as on a node. "metrics" starts the Prometheus of this machine, which has to reach the pods. Elsewhere, set TOOLBUS_URL, TOOLBUS_APPROVALS_URL and RELEASE_API_URL.
It exits with 1 if a run was lost, an effect was doubled or missing, or a stream was not complete.
`;

const PROOFS = ["rollouts", "kills", "servers", "scaling", "rights", "bad-input", "metrics"] as const;

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      overlay: { type: "string", default: "rabbitmq" },
      rate: { type: "string", default: "5" },
      minutes: { type: "string", default: "5" },
      json: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const unknown = positionals.find((name) => !PROOFS.some((proof) => proof === name));
  if (unknown !== undefined) throw new Error(`There is no proof "${unknown}": use ${PROOFS.join(", ")}.`);
  const [rate, minutes] = [Number(values.rate), Number(values.minutes)];
  if (!(rate > 0) || !(minutes > 0)) throw new Error("--rate and --minutes need a number above 0.");
  const wanted = (proof: string): boolean => positionals.length === 0 || positionals.includes(proof);
  const cluster = await findCluster(values.overlay);
  // One principal makes all requests here, so its limits would end the load.
  await configure("gateway", {
    RUNS_PER_MINUTE: "6000",
    CONVERSATIONS_PER_MINUTE: "6000",
    ACTIONS_PER_MINUTE: "6000",
    RUNS_PER_PRINCIPAL: "0",
  });
  await configure("approvals", { DECISIONS_PER_MINUTE: "6000", PENDING_PER_REQUESTER: "0" });
  // The report tool allows 120 calls a minute in each worker, so two workers would take fewer writes than the load has.
  await configure("worker-release", { TOOL_LIMITS: "*.callsPerMinute=0" });
  try {
    return await prove(cluster, { ...values, rate, minutes, wanted });
  } finally {
    await configure("gateway", {
      RUNS_PER_MINUTE: null,
      CONVERSATIONS_PER_MINUTE: null,
      ACTIONS_PER_MINUTE: null,
      RUNS_PER_PRINCIPAL: null,
    });
    await configure("approvals", { DECISIONS_PER_MINUTE: null, PENDING_PER_REQUESTER: null });
    await configure("worker-release", { TOOL_LIMITS: null });
  }
}

interface Wanted {
  readonly overlay: string;
  readonly json: boolean;
  readonly rate: number;
  readonly minutes: number;
  readonly wanted: (proof: string) => boolean;
}

/** Runs the wanted proofs and prints their report. Returns the exit code. */
async function prove(cluster: Cluster, { overlay, json, rate, minutes, wanted }: Wanted): Promise<number> {
  const disturbances: Readonly<Record<string, Disturbance>> = {
    rollouts: rollOut,
    kills: killPods(minutes, Math.random),
    servers: killServers(overlay === "rabbitmq" ? "rabbitmq" : "nats"),
  };
  const rows: Row[] = [];
  let held = true;
  for (const [proof, disturb] of Object.entries(disturbances)) {
    if (!wanted(proof)) continue;
    console.error(`${new Date().toISOString()} ${proof}`);
    const stop = new AbortController();
    const load = steadyLoad(cluster, rate, stop.signal);
    const done = await disturb().finally(() => stop.abort());
    const row: Row = { proof: `${overlay}: ${proof}`, done, ...(await load) };
    rows.push(row);
    held &&= nothingLost(row, 50);
    if (!json) console.log(tableOf([row]));
  }
  const scaled = wanted("scaling") ? await scaling(cluster) : null;
  if (scaled) held &&= scaled.fourAgainstOne >= 3 && scaled.answeredAfterwards === scaled.sentToNobody && scaled.failed.length === 0;
  // The Secret of approvals is the control: the same attempt with it is allowed.
  const rights = wanted("rights") ? [await rightsOfSecret("agent"), await rightsOfSecret("approvals")] : [];
  for (const { secret, decisionPublished, redisRefused, deviations } of rights)
    held &&= decisionPublished.startsWith(secret === "agent" ? "refused" : "allowed") && redisRefused > 20 && deviations.length === 0;
  const wrong = wanted("bad-input") ? await badInput() : [];
  held &&= wrong.every(({ line }) => line !== null);
  const metrics = wanted("metrics") ? await metricsOf(cluster, SERVICES) : null;
  if (metrics) held &&= areWhole(metrics);
  if (json) console.log(JSON.stringify({ ok: held, rows, scaling: scaled, rights, badInput: wrong, metrics }, null, 2));
  else {
    for (const one of rights) console.log(one);
    for (const { what, shownBy, line } of wrong) console.log(`${what} (kubectl ${shownBy}): ${line ?? "NOTHING IN A MINUTE AND A HALF"}`);
    if (rows.length > 1) console.log(tableOf(rows));
    if (scaled) console.log(scaled);
    if (metrics) console.log(metrics);
    console.log(held ? "Nothing was lost, and nothing was done twice." : "Something was lost, doubled or too slow: see above.");
  }
  return held ? 0 : 1;
}
