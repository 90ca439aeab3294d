import { randomUUID } from "node:crypto";
import { parseArgs } from "node:util";
import { loadProjects } from "./load-projects.ts";
import { loadRelease } from "./load-release.ts";
import { projectsOf, readProjects } from "./project-config.ts";
import { type ReleaseApiOptions, startReleaseApi } from "./release-api.ts";

// This program serves the releases of one or several repositories until it is stopped.
const USAGE = `Usage: npx node examples/release-api/src/main.ts [--repo PATH] [--from TAG] [--to TAG] [--package NAME] [--junit FILE]
         [--coverage FILE] [--ci FILE]... [--metrics FILE] [--traces FILE] [--advisories PATH] [--recorded] [--host ADDRESS] [--port N] [--data DIR]
       npx node examples/release-api/src/main.ts --project NAME=PATH [--project NAME=PATH]... | --config FILE

  --repo PATH          a git repository (the current folder)
  --from TAG           where the release begins (the tag before its end)
  --to TAG             where it ends (HEAD)
  --package NAME       a package of a monorepo (what the tag names, or everything)
  --junit FILE         its test results, as JUnit XML
  --coverage FILE      the coverage of its tests, as Cobertura XML or lcov
  --ci FILE            its CI results: GitHub's jobs of a run, or GitLab's jobs or test report of a pipeline, as JSON; may be repeated
  --metrics FILE       its deployment metrics, as JSON
  --traces FILE        its traces, as OTLP/JSON
  --advisories PATH    security advisories to compare it with, OSV as JSON: a file or a folder
  --recorded           serve the recorded release when the repository has no usable history,
                       and its last 20 commits when it has a long one without tags
  --project NAME=PATH  one of several repositories, with its newest release as NAME/<release>; may be repeated
  --config FILE        a JSON file that names several repositories, and their releases with their files
  --host ADDRESS       where to listen (127.0.0.1); whoever reaches it may read the releases and file reports
  --port N             where to listen (4010; 0 takes a free one)
  --data DIR           where reports are kept (.toolbus/release-api)`;

const flags = readFlags(process.argv.slice(2));
if (!flags.ok) {
  console.error(`${flags.message}\n\n${USAGE}`);
  process.exitCode = 2;
} else if (flags.help) {
  console.log(USAGE);
} else {
  await serve(flags).catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  });
}

function readFlags(args: readonly string[]) {
  try {
    const { values } = parseArgs({
      args: [...args],
      strict: true,
      options: {
        repo: { type: "string" },
        from: { type: "string" },
        to: { type: "string" },
        package: { type: "string" },
        junit: { type: "string" },
        coverage: { type: "string" },
        ci: { type: "string", multiple: true },
        metrics: { type: "string" },
        traces: { type: "string" },
        advisories: { type: "string" },
        recorded: { type: "boolean" },
        project: { type: "string", multiple: true },
        config: { type: "string" },
        host: { type: "string", default: "127.0.0.1" },
        port: { type: "string", default: "4010" },
        data: { type: "string", default: ".toolbus/release-api" },
        help: { type: "boolean", short: "h", default: false },
      },
    });
    const port = Number(values.port);
    if (!/^\d{1,5}$/.test(values.port) || port > 65_535)
      return { ok: false, message: `--port must be a number from 0 to 65535, not "${values.port}".` } as const;
    const { repo, from, to, package: name, junit, coverage, ci, metrics, traces, advisories, recorded } = values;
    const several = values.project !== undefined || values.config !== undefined;
    const single = [repo, from, to, name, junit, coverage, ci, metrics, traces, advisories, recorded].some((value) => value !== undefined);
    if (several && (single || (values.project !== undefined && values.config !== undefined)))
      return {
        ok: false,
        message: "Name one repository with its own options, or several with --project, or several with --config.",
      } as const;
    return { ok: true, ...values, port } as const;
  } catch (error) {
    return { ok: false, message: error instanceof Error ? error.message : String(error) } as const;
  }
}

type Flags = Extract<ReturnType<typeof readFlags>, { ok: true }>;
type Served = Pick<ReleaseApiOptions, "releases" | "evidence"> & { readonly ids: readonly string[]; readonly notes: readonly string[] };

async function load({ repo = ".", recorded = false, project, config, ...flags }: Flags): Promise<Served> {
  if (project !== undefined || config !== undefined) {
    const named = config === undefined ? projectsOf(project ?? []) : await readProjects(config);
    const loaded = named.ok ? await loadProjects({ projects: named.projects }) : named;
    if (!loaded.ok) throw new Error(loaded.message);
    return loaded;
  }
  const { from, to, package: name, junit, coverage, ci, metrics, traces, advisories } = flags;
  const loaded = await loadRelease({
    repo,
    from,
    to,
    package: name,
    junit,
    coverage,
    ci,
    metrics,
    traces,
    advisories,
    allowRecorded: recorded,
  });
  if (!loaded.ok) throw new Error(loaded.message);
  const { release, evidence, notes } = loaded;
  const id = release.release_id;
  return { releases: new Map([[id, release]]), evidence: new Map([[id, evidence]]), ids: [id], notes };
}

async function serve(flags: Flags): Promise<void> {
  const { releases, evidence, ids, notes } = await load(flags);
  const api = await startReleaseApi({
    host: flags.host,
    port: flags.port,
    directory: flags.data,
    releases,
    evidence,
    clock: () => Date.now(),
    newId: () => `rr_${randomUUID()}`,
    onEffect: ({ report_id, severity, findings }) =>
      console.log(`Filed ${report_id}: ${severity}, ${findings.length} ${findings.length === 1 ? "finding" : "findings"}.`),
    onError: (error) => console.error(error),
  });
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => void api.stop());
  for (const note of notes) console.log(note);
  for (const id of ids) console.log(`Release ${id} at ${api.url}/release-summary?release_id=${encodeURIComponent(id)}`);
}
