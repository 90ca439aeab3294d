// A summary has paths and subjects, but no kinds of files. So these patterns only recognise what is beside the product almost everywhere.

const LOCKFILE =
  /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|yarn\.lock|bun\.lockb?|cargo\.lock|go\.sum|poetry\.lock|pdm\.lock|uv\.lock|pipfile\.lock|gemfile\.lock|composer\.lock|packages\.lock\.json)$/i;
const DOCS =
  /(?:^|\/)(?:docs?|documentation|changelogs?)(?:\/|$)|\.(?:md|mdx|rst|adoc)$|(?:^|\/)(?:changelog|changes|history|readme|licen[cs]e)(?:\.[a-z]+)?$/i;
const MADE =
  /(?:^|\/)(?:dist|vendor|vendored|third_party|node_modules|generated|__snapshots__)\/|\.min\.(?:js|css)$|\.(?:snap|map|pb\.go)$/i;
const CI = /(?:^|\/)\.(?:github|gitlab|circleci|buildkite)(?:\/|$)|(?:^|\/)(?:\.travis\.yml|\.gitlab-ci\.yml|appveyor\.yml|jenkinsfile)$/i;
const TESTS = /(?:^|\/)(?:tests?|__tests__|spec|e2e|fixtures|examples?|bench(?:marks?)?)(?:\/|$)|[._](?:test|spec)\.[a-z]+$/i;

/** Returns whether the lines of a file say nothing about the size of a release: lockfiles, docs, and generated and vendored files. */
export function isNotWritten(path: string): boolean {
  return [LOCKFILE, DOCS, MADE].some((pattern) => pattern.test(path));
}

/** Returns whether a file or a folder is no part of the product, so that a word in its path shows no risk. */
export function isAside(path: string): boolean {
  return isNotWritten(path) || CI.test(path) || TESTS.test(path);
}

/** Returns whether the subject of a commit says that it is only about docs, tests, the build or tools. */
export function isAboutAside(subject: string): boolean {
  return /^\s*(?:\[(?:docs?|ci|tests?|build|chore)\]|(?:docs?|ci|tests?|build|chore|style)(?:\([^)]{0,80}\))?:)/i.test(
    subject.slice(0, 200),
  );
}

/** Returns a subject without the names of steps of a pipeline, such as `actions/checkout`, whose words belong to no area of the product. */
export function withoutActions(subject: string): string {
  return subject.slice(0, 2000).replaceAll(/\bactions\/[\w.-]{1,100}|\b[\w.-]{1,100}\/[\w.-]{1,100}-action\b/gi, " ");
}
