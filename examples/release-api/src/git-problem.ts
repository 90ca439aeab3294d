import type { GitFailed } from "@toolbus/release-facts";

/** The reason why a range of history has no summary. One sentence says what happened, and one says what to do. */
export interface RefusedSummary {
  readonly ok: false;
  readonly problem: GitProblem;
  readonly message: string;
  readonly remedy: string;
}

export type GitProblem =
  | "git_not_installed"
  | "not_a_repository"
  | "dubious_ownership"
  | "shallow_clone"
  | "no_commits"
  | "unknown_ref"
  | "empty_range"
  | "too_large"
  | "timeout"
  | "git_failed";

export function refused(problem: GitProblem, message: string, remedy: string): RefusedSummary {
  return { ok: false, problem, message, remedy };
}

/** Translates git's error for the person who named this repository. */
export function refusalOf(failure: GitFailed, repository: string): RefusedSummary {
  switch (failure.reason) {
    case "not_installed":
      return refused("git_not_installed", "The command git was not found.", "Install git and put it on the PATH.");
    case "too_much_output":
      return refused("too_large", `The range in ${repository} is too large to summarise.`, "Name a later --from.");
    case "refused":
      return fromWords(failure.said, repository);
    default:
      return failure.reason satisfies never;
  }
}

// Git has the same exit code (128) for all of these problems, so only its English text tells them apart.
function fromWords(said: string, repository: string): RefusedSummary {
  if (said.includes("dubious ownership")) {
    return refused(
      "dubious_ownership",
      `${repository} belongs to another user, so git does not read it.`,
      `If you trust it, run: git config --global --add safe.directory ${repository}`,
    );
  }
  if (said.includes("cannot change to"))
    return refused("not_a_repository", `There is no folder ${repository}.`, "Name an existing git repository.");
  if (/not a git repository/i.test(said)) {
    return refused("not_a_repository", `${repository} is not a git repository.`, "Name the folder of a git repository.");
  }
  const line = said.split("\n")[0]?.slice(0, 200) || "no reason given";
  return refused("git_failed", `Git cannot read the history of ${repository} (${line}).`, "Run git fsck there and repair what it reports.");
}
