import { existsSync } from "node:fs";
import path from "node:path";
import { isTooLong } from "./code-changes.ts";
import { summariseGitRange } from "./git-summary.ts";
import type { GitProblem } from "./git-problem.ts";
import { hasFiles, readReleaseFiles, type ReleaseFiles } from "./evidence-files.ts";
import { evidenceOfRecorded, recordedRelease } from "./recorded-release.ts";
import { gitEvidence, type ReleaseEvidence } from "./release-evidence.ts";
import { type ReleaseSummary, releaseSummary } from "./release-summary.ts";

export interface LoadReleaseOptions extends ReleaseFiles {
  /** The folder of a git repository. */
  readonly repo: string;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** The name or the folder of a package of a monorepo. The default is what the tag at the release's end names. */
  readonly package?: string | undefined;
  /** The name of the project, if several are served. The release id is then "<project>/<version>". */
  readonly project?: string | undefined;
  /**
   * Whether any release will do, so that a first look works without options: the recorded one if the repository has no usable history, and the last
   * commits of a long history without tags. It counts only if the caller named neither end of the range.
   */
  readonly allowRecorded?: boolean | undefined;
  /** The variables that git may read. The default is those of the process. */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A release with its evidence and notes for the person who asked for it, or one message that says what is wrong and what to do. */
export type LoadedRelease =
  | { readonly ok: true; readonly release: ReleaseSummary; readonly evidence: ReleaseEvidence; readonly notes: readonly string[] }
  | { readonly ok: false; readonly message: string };

/** Loads one release from a repository and the files that belong to it. Throws the signal's reason when the signal aborts. */
export async function loadRelease(options: LoadReleaseOptions): Promise<LoadedRelease> {
  const { repo, from, to, environment, signal } = options;
  const unnamed = from === undefined && to === undefined;
  // Without its own .git, this folder may be a copy inside another repository. Git would then read the history of that other repository.
  if (options.allowRecorded && unnamed && !existsSync(path.join(repo, ".git")))
    return recorded(`${repo} has no git history of its own.`, options);
  const whole = await summariseGitRange({ repository: repo, from, to, environment, signal });
  const last = options.allowRecorded && unnamed && whole.ok && isTooLong(whole.summary);
  const short = last ? await summariseGitRange({ repository: repo, from: LAST_COMMITS, to, environment, signal }) : whole;
  const history = short.ok ? short : whole;
  if (!history.ok) {
    if (options.allowRecorded && unnamed && NO_HISTORY.has(history.problem)) return recorded(history.message, options);
    return { ok: false, message: `${history.message} ${history.remedy}` };
  }
  const files = await readReleaseFiles(options);
  if (!files.ok) return files;
  const read = releaseSummary(history.summary, "git", { tests: files.tests.run?.tests, metrics: files.metrics });
  const release = options.project === undefined ? read : { ...read, release_id: `${options.project}/${read.version}` };
  // "." is no name of a project.
  const source = {
    repo,
    project: options.project ?? path.basename(path.resolve(repo)),
    package: options.package,
    advisories: files.advisories,
    environment: environment ?? process.env,
  };
  const notes = history === whole ? release.notes : [NO_TAGS, ...release.notes];
  return { ok: true, release, evidence: gitEvidence(history.summary, source, files), notes };
}

const LAST_COMMITS = "HEAD~20";
const NO_TAGS = `No tag is before HEAD, so the release begins at ${LAST_COMMITS}. For another beginning, tag a commit, or get the tags of the remote with "git fetch --tags".`;

// Problems of the machine or the folder, for which the recorded release may be used. A wrong tag is not one of them. It is the caller's mistake, and
// the recorded release would be a wrong answer.
const NO_HISTORY: ReadonlySet<GitProblem> = new Set([
  "git_not_installed",
  "not_a_repository",
  "dubious_ownership",
  "shallow_clone",
  "no_commits",
]);

async function recorded(why: string, files: ReleaseFiles): Promise<LoadedRelease> {
  // The recorded release must not be combined with files from another project, because such a release never existed.
  if (hasFiles(files)) {
    return {
      ok: false,
      message: `${why} Test results, metrics and other files are not joined to the recorded release: leave them out, or name a repository.`,
    };
  }
  const release = await recordedRelease();
  const evidence = await evidenceOfRecorded(release);
  return { ok: true, release, evidence, notes: [`${why} The recorded release ${release.release_id} is served instead.`, ...release.notes] };
}
