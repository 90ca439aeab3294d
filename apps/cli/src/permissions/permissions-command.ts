import { localKeys } from "@toolbus/all-in-one";
import { counted, OPERATIONS, SET_UP } from "@toolbus/contracts";
import path from "node:path";
import {
  checkPermissions,
  type KubernetesSecret,
  kubernetesSecrets,
  type LoginCheck,
  type PermissionPlan,
  type PermissionRequest,
  readPermissions,
  recordWithOnly,
  Refusal,
  secretsAsYaml,
  setUpServers,
  writePermissions,
} from "@toolbus/runtime";
import { safeText } from "../terminal/safe-text.ts";
import { table } from "../terminal/table.ts";
import type { Context } from "../toolbus/context.ts";
import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";
import { bootstrapFiles, restoreBootstrapFiles } from "./bootstrap-data.ts";
import { BOOTSTRAP_SECRET, bootstrapSecrets } from "./bootstrap-secrets.ts";
import { secretsApiOfPod } from "./in-cluster-api.ts";

export interface PermissionsOptions {
  readonly out?: string;
  readonly bus?: string;
  readonly state?: string;
  readonly namespace?: string;
  readonly toolsets?: string;
  readonly agents?: string;
  readonly rotate?: true;
  readonly setUp?: true;
  readonly check?: true;
  readonly kubernetes?: true;
  readonly apply?: true;
}

/** Writes the logins of a deployment. With `--set-up` or `--check` it uses the existing logins. */
export async function permissions(context: Context, given: PermissionsOptions): Promise<ExitCode> {
  const { around, options } = context;
  const folder = given.out === undefined ? path.join(options.dataDirectory, "permissions") : path.resolve(around.cwd, given.out);
  if (given.setUp && given.check) throw usage("--set-up and --check are two steps: run one after the other.");
  if (given.kubernetes && (given.setUp || given.check)) throw usage("--kubernetes makes the Secrets: run --set-up and --check without it.");
  if (given.apply && !given.kubernetes) throw usage("--apply is for the Secrets: add --kubernetes.");
  if (given.apply && given.rotate) throw usage("--apply replaces no Secret, so it cannot rotate: run --kubernetes --rotate without it.");
  if (given.apply) return applySecrets(context, folder, given);
  if (given.kubernetes) return printSecrets(context, folder, given);
  if (!given.setUp && !given.check) return write(context, requestOf(folder, given, around.env), given);
  const making = (["bus", "state", "namespace", "toolsets", "agents", "rotate"] as const).find((name) => given[name] !== undefined);
  if (making !== undefined)
    throw usage(`--${making} is for making logins; ${given.check ? "--check" : "--set-up"} uses those that ${folder} holds.`);
  const plan = await refusedAs(EXIT.failed, () => readPermissions(folder));
  return given.check ? check(context, plan) : setUp(context, plan);
}

async function write({ output }: Context, request: PermissionRequest, typed: PermissionsOptions): Promise<ExitCode> {
  const { plan, files, kept } = await refusedAs(EXIT.usage, () => writePermissions(request), typed);
  const { deployment, names } = plan;
  if (output.json) {
    output.document({
      folder: request.folder,
      bus: deployment.busUrl,
      state: deployment.stateUrl,
      ...deployment.parts,
      logins: names.map((name) => ({ name, user: plan.userOf(name), kept: kept.includes(name) })),
      files: files.map(({ file, for: purpose }) => ({ file, for: purpose })),
    });
    return EXIT.ok;
  }
  output.lines(
    table(
      ["FILE", "FOR"],
      files.map((file) => [path.relative(request.folder, file.file), file.for]),
    ).map(safeText),
  );
  const made = names.length - kept.length;
  output.note(
    `${counted(made, "login")} made, ${kept.length} kept, in ${request.folder}. Load the servers' files there, then run --set-up and --check.`,
  );
  return EXIT.ok;
}

/** Makes the missing logins and keys, and prints the Secrets of `deploy/k8s` with them. Nothing else is printed to standard output. */
async function printSecrets(context: Context, folder: string, given: PermissionsOptions): Promise<ExitCode> {
  const { around, options, output } = context;
  if (around.stdout.isTTY)
    throw usage("The Secrets contain passwords and keys, so they are not printed on a terminal: add | kubectl apply -f - or > FILE.");
  const { secrets, plan, kept } = await makeSecrets(context, folder, given);
  if (output.json) output.document({ apiVersion: "v1", kind: "List", items: secrets });
  else around.stdout.write(secretsAsYaml(secrets));
  output.note(
    `${counted(secrets.length, "Secret")} for ${plan.deployment.busUrl} and ${plan.deployment.stateUrl} (${plan.names.length - kept.length} new logins, ` +
      `${kept.length} kept). Keep ${options.dataDirectory}: it has the keys of people, and the next run needs it.`,
  );
  return EXIT.ok;
}

/** Creates the Secrets through the API of the cluster, from a pod that may. No password and no key is printed. */
async function applySecrets(context: Context, folder: string, given: PermissionsOptions): Promise<ExitCode> {
  const { around, options, output, signal } = context;
  const api = await secretsApiOfPod({ env: around.env, serviceAccountFolder: around.serviceAccountFolder, signal });
  const folders = { logins: folder, keys: path.join(options.dataDirectory, "keys") };
  // The first run decided about the deployment. The options and variables of a later one must not change what it continues.
  const withoutVariables = { ...context, around: { ...around, env: {} } };
  let restored = false;
  const { created, existing } = await bootstrapSecrets(api, {
    secrets: async () => (await (restored ? makeSecrets(withoutVariables, folder, {}) : makeSecrets(context, folder, given))).secrets,
    files: () => bootstrapFiles(folders),
    async restore(files) {
      await restoreBootstrapFiles(folders, files);
      restored = true;
    },
  });
  if (output.json) output.document({ namespace: api.namespace, created, existing });
  else if (created.length === 0)
    output.lines(
      [`Nothing was changed in the namespace ${api.namespace}, because these Secrets exist: ${existing.join(", ")}.`].map(safeText),
    );
  else
    output.lines([
      `${counted(created.length, "Secret")} created in the namespace ${api.namespace}${existing.length > 0 ? `, ${existing.length} kept from an earlier run` : ""}: ` +
        `${created.join(", ")}. Copy ${BOOTSTRAP_SECRET}, which has the keys of people, to a safe place and delete the Secret then.`,
    ]);
  return EXIT.ok;
}

interface MadeSecrets {
  readonly secrets: readonly KubernetesSecret[];
  readonly plan: PermissionPlan;
  /** Logins that existed and kept their passwords. */
  readonly kept: readonly string[];
}

/** Makes the missing logins and keys in the data directory, and returns the Secrets with them. */
async function makeSecrets({ around, options }: Context, folder: string, given: PermissionsOptions): Promise<MadeSecrets> {
  const known = await readPermissions(folder).catch(() => null);
  const defaults = known ? {} : IN_CLUSTER;
  const request = requestOf(folder, { ...defaults, ...given }, around.env);
  const { plan, kept } = await refusedAs(EXIT.usage, () => writePermissions(request), given);
  const toolsets = [...plan.deployment.parts.toolsets, OPERATIONS];
  const keys = await refusedAs(EXIT.failed, () => localKeys(path.join(options.dataDirectory, "keys"), { toolsets }));
  return {
    secrets: await refusedAs(EXIT.failed, async () => kubernetesSecrets(plan, keys, await recordWithOnly(folder, SET_UP))),
    plan,
    kept,
  };
}

/** The names of the servers and toolsets in `deploy/k8s`. */
const IN_CLUSTER = { bus: "amqp://rabbitmq:5672", state: "redis://redis:6379", toolsets: "release,mcp" };

async function setUp({ output }: Context, plan: PermissionPlan): Promise<ExitCode> {
  const warnings: string[] = [];
  await refusedAs(EXIT.failed, () => setUpServers(plan, (sentence) => warnings.push(sentence)));
  for (const warning of warnings) output.note(warning);
  const { broker } = plan.broker;
  if (output.json) output.document({ ok: true, broker, warnings });
  else
    output.lines([
      `The ${broker === "nats" ? "streams and their consumers" : "exchanges and queues"} are there, and so is the record of the store.`,
    ]);
  return EXIT.ok;
}

async function check({ output, signal }: Context, plan: PermissionPlan): Promise<ExitCode> {
  const checks = await refusedAs(EXIT.failed, () =>
    checkPermissions(plan, { signal, onLogin: (one) => output.note(`Tested ${one.login} on the ${one.server}.`) }),
  );
  const deviations = checks.flatMap((one) => one.deviations.map((what) => `${one.login} ${what} (${one.server}).`));
  const ok = deviations.length === 0;
  if (output.json) output.document({ ok, ...sums(checks), logins: checks });
  else {
    const rows = checks.map(({ login, server, tried, refused, allowed, deviations: { length } }) =>
      [login, server, tried, refused, allowed, length].map(String),
    );
    const { tried, refused, allowed } = sums(checks);
    output.lines(
      table(
        ["LOGIN", "SERVER", "TRIED", "REFUSED", "ALLOWED", "OTHERWISE"],
        [...rows, ["all", "", ...[tried, refused, allowed, deviations.length].map(String)]],
      ),
    );
    output.lines(deviations.map(safeText));
    output.lines([
      ok
        ? "Each login may do what its service does, and nothing else."
        : "Load the servers' files again, or remove what was added there by hand.",
    ]);
  }
  return ok ? EXIT.ok : EXIT.failed;
}

function sums(checks: readonly LoginCheck[]): Pick<LoginCheck, "tried" | "refused" | "allowed"> {
  const sum = (count: "tried" | "refused" | "allowed"): number => checks.reduce((before, one) => before + one[count], 0);
  return { tried: sum("tried"), refused: sum("refused"), allowed: sum("allowed") };
}

function requestOf(folder: string, given: PermissionsOptions, env: Readonly<Record<string, string | undefined>>): PermissionRequest {
  const bus = given.bus ?? env["BUS_URL"];
  const state = given.state ?? env["STATE_URL"];
  const { namespace, rotate } = given;
  if (namespace !== undefined && !/^[a-z0-9-]{1,30}$/.test(namespace))
    throw usage("--namespace accepts 1 to 30 lower-case letters, digits and hyphens.");
  if (namespace !== undefined && (!bus || !state)) throw usage("--namespace needs --bus and --state, whose addresses it is added to.");
  return {
    folder,
    ...(bus ? { busUrl: within(bus, namespace) } : {}),
    ...(state ? { stateUrl: within(state, namespace) } : {}),
    ...(given.toolsets === undefined
      ? {}
      : { toolsets: names("--toolsets", given.toolsets, TOOLSET).filter((name) => name !== "operations") }),
    ...(given.agents === undefined ? {} : { agents: names("--agents", given.agents, AGENT) }),
    ...(rotate ? { rotate } : {}),
  };
}

const TOOLSET = /^[a-z0-9_-]{1,32}$/;
const AGENT = /^[\w-]{1,32}$/;

function names(flag: string, text: string, form: RegExp): readonly string[] {
  const given = [...new Set(text.split(",").map((name) => name.trim()))];
  if (given.every((name) => form.test(name))) return given;
  throw usage(`${flag} accepts names separated by commas, such as "release,web", of letters, digits, - and _.`);
}

/** Adds the namespace to an address as text, because URL parsers refuse the commas in the address of a cluster. */
function within(url: string, namespace: string | undefined): string {
  if (namespace === undefined || /[?&]namespace=/.test(url)) return url;
  return `${url}${url.includes("?") ? "&" : "?"}namespace=${namespace}`;
}

/** Turns a Refusal into a Failure. If the user typed the address as a flag, the message names the flag instead of the variable. */
async function refusedAs<T>(code: ExitCode, work: () => Promise<T>, typed: PermissionsOptions = {}): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const bus = typed.bus === undefined ? error.message : error.message.replace(/^BUS_URL/, "--bus");
    throw new Failure(code, typed.state === undefined ? bus : bus.replace(/^STATE_URL/, "--state"), { cause: error });
  }
}

const usage = (message: string): Failure => new Failure(EXIT.usage, message);
