import type { GitFailed } from "./git-command.ts";

/** The reason why a range of history has no facts. The message is one sentence for the person who named the repository and the refs. */
export interface RefusedFacts {
  readonly ok: false;
  readonly problem: FactsProblem;
  readonly message: string;
}

export type FactsProblem =
  | "git_not_installed"
  | "not_a_repository"
  | "dubious_ownership"
  | "shallow_clone"
  | "no_commits"
  | "incomplete_clone"
  | "unknown_ref"
  | "unknown_package"
  | "empty_range"
  | "swapped_ends"
  | "too_large"
  | "too_slow"
  | "bad_advisories"
  | "git_failed";

export function refused(problem: FactsProblem, message: string): RefusedFacts {
  return { ok: false, problem, message };
}

/** Translates git's error. Git has the same exit code for all of these problems, so only its English text tells them apart. */
export function refusalOf({ reason, said }: GitFailed): RefusedFacts {
  if (reason === "not_installed") return refused("git_not_installed", "The command git was not found on the PATH.");
  if (reason === "too_much_output")
    return refused("too_large", "The range is too large to read, so name two refs that are closer together.");
  if (said.includes("dubious ownership"))
    return refused("dubious_ownership", "The repository belongs to another user, so git does not read it.");
  if (said.includes("cannot change to")) return refused("not_a_repository", "The folder does not exist, or cannot be opened.");
  if (/not a git repository/i.test(said)) return refused("not_a_repository", "The folder is not a git repository.");
  if (/unable to read [0-9a-f]{40}|missing (?:blob|object)/i.test(said))
    return refused("incomplete_clone", "The clone lacks some of its objects, so clone the whole repository.");
  return refused("git_failed", `Git cannot read the history (${shown(said) || "no reason given"}).`);
}

/** Returns foreign text as one printable line. */
export function shown(text: string): string {
  return text
    .replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, " ")
    .slice(0, 100)
    .trim();
}
