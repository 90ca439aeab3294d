import { randomUUID } from "node:crypto";
import { parseArgs } from "node:util";
import { loadRelease } from "./load-release.ts";
import { startReleaseApi } from "./release-api.ts";

// This program serves the release summary of one repository until it is stopped.
const USAGE = `Usage: npx node examples/release-api/src/main.ts [--repo PATH] [--from TAG] [--to TAG] [--junit FILE] [--metrics FILE]
         [--recorded] [--host ADDRESS] [--port N] [--data DIR]

  --repo PATH      a git repository (the current folder)
  --from TAG       where the release begins (the tag before its end)
  --to TAG         where it ends (HEAD)
  --junit FILE     its test results, as JUnit XML
  --metrics FILE   its deployment metrics, as JSON
  --recorded       serve the recorded release when the repository has no usable history
  --host ADDRESS   where to listen (127.0.0.1); whoever reaches it may read the release and file reports
  --port N         where to listen (4010; 0 takes a free one)
  --data DIR       where reports are kept (.toolbus/release-api)`;

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
        repo: { type: "string", default: "." },
        from: { type: "string" },
        to: { type: "string" },
        junit: { type: "string" },
        metrics: { type: "string" },
        recorded: { type: "boolean", default: false },
        host: { type: "string", default: "127.0.0.1" },
        port: { type: "string", default: "4010" },
        data: { type: "string", default: ".toolbus/release-api" },
        help: { type: "boolean", short: "h", default: false },
      },
    });
    const port = Number(values.port);
    if (!/^\d{1,5}$/.test(values.port) || port > 65_535)
      return { ok: false, message: `--port must be a number from 0 to 65535, not "${values.port}".` } as const;
    return { ok: true, ...values, port } as const;
  } catch (error) {
    return { ok: false, message: error instanceof Error ? error.message : String(error) } as const;
  }
}

async function serve(flags: Extract<ReturnType<typeof readFlags>, { ok: true }>): Promise<void> {
  const { repo, from, to, junit, metrics, recorded, host, port, data } = flags;
  const loaded = await loadRelease({ repo, from, to, junit, metrics, allowRecorded: recorded });
  if (!loaded.ok) throw new Error(loaded.message);

  const { release, notes } = loaded;
  const api = await startReleaseApi({
    host,
    port,
    directory: data,
    releases: new Map([[release.release_id, release]]),
    clock: () => Date.now(),
    newId: () => `rr_${randomUUID()}`,
    onEffect: ({ report_id, severity, findings }) =>
      console.log(`Filed ${report_id}: ${severity}, ${findings.length} ${findings.length === 1 ? "finding" : "findings"}.`),
    onError: (error) => console.error(error),
  });
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => void api.stop());
  for (const note of notes) console.log(note);
  console.log(`Release ${release.release_id} at ${api.url}/release-summary?release_id=${encodeURIComponent(release.release_id)}`);
}
