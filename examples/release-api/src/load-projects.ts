import { loadRelease } from "./load-release.ts";
import type { ProjectConfig } from "./project-config.ts";
import type { ReleaseEvidence } from "./release-evidence.ts";
import type { ReleaseSummary } from "./release-summary.ts";
import type { Evidence, Releases } from "./routes.ts";

export interface LoadProjectsOptions {
  readonly projects: readonly ProjectConfig[];
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The releases of several repositories, each with the id "<project>/<version>". */
export type LoadedProjects =
  | {
      readonly ok: true;
      readonly releases: Releases;
      readonly evidence: Evidence;
      readonly ids: readonly string[];
      readonly notes: readonly string[];
    }
  | { readonly ok: false; readonly message: string };

/** Loads the releases of several repositories, one after the other. The first release that cannot be loaded is refused with one sentence. */
export async function loadProjects({ projects, environment, signal }: LoadProjectsOptions): Promise<LoadedProjects> {
  const releases = new Map<string, ReleaseSummary>();
  const evidence = new Map<string, ReleaseEvidence>();
  const notes: string[] = [];
  for (const { name, repo, releases: wanted } of projects) {
    for (const one of wanted) {
      const loaded = await loadRelease({ ...one, repo, project: name, environment, signal });
      if (!loaded.ok) return { ok: false, message: `In the project ${name}: ${loaded.message}` };
      const id = loaded.release.release_id;
      if (releases.has(id)) return { ok: false, message: `Two releases have the id ${id}; name different ends with "to".` };
      releases.set(id, loaded.release);
      evidence.set(id, loaded.evidence);
      notes.push(...loaded.notes.map((note) => `${id}: ${note}`));
    }
  }
  const names = projects.map(({ name }) => name);
  return {
    ok: true,
    releases: { get: (id) => releases.get(id), keys: () => releases.keys(), projects: () => names },
    evidence,
    ids: [...releases.keys()],
    notes,
  };
}
