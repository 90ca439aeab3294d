import type { ChangeKind } from "./change-kind.ts";

/** A rule over release facts, as `docs/offline-investigator.md` describes it. */
interface ChangeRule {
  /** The kind of its finding. Null if the rule only sets the lowest severity of the release. */
  readonly kind: ChangeKind | null;
  readonly looksAt: string;
  readonly severity: string;
  readonly limits: string;
  /** What the finding advises. */
  readonly advice: string;
}

/** Every rule over release facts, in the order of importance. */
export const changeRules = {
  "security-known": {
    kind: "security_fix",
    looksAt:
      "published advisories that the release fixes, from a list that somebody gave: the earlier version is affected and the later one is not, or the release has a commit that the advisory names",
    severity: "high",
    limits:
      "Only advisories about the package itself. Without a list, this rule says nothing. If an advisory names no commit, the finding has likely commits: those with the words of a fix, and at most `likelyFixes` whose body names an attack or that repair something with a test. Some of them may be ordinary.",
    advice: "Ask a security owner to review it and install the release soon, because an attacker can read the advisory too.",
  },
  "security-advisory": {
    kind: "security_fix",
    looksAt: "commits to product code that name an advisory or merge a private fix, and the commits of a merge that names an advisory",
    severity: "high",
    limits:
      "An advisory that only the body of a message names counts if the subject has a verb such as fix or reject, or calls a check stricter.",
    advice: "Ask a security owner to review it and install the release soon, because an attacker can read the fix too.",
  },
  "security-wording": {
    kind: "security_fix",
    looksAt:
      "commits to product code, or to templates of pages, of the type security, or whose subject has a verb such as fix, drop or prevent close to a word such as bypass, attack, access check or integer overflow, that verifies a token, an origin or the like, that handles a bypass, that keeps a server from ending, that keeps an address out of logs, that repairs what was not escaped, that requires a right or closes a way in, that refuses what is revoked, that stops reading options or using what turns a text into markup, or that repairs where a login leads to, whose body says that it prevents an attack such as injection, or that repairs an origin, a cookie, a login or the like and speaks of security. If one commit is a fix or the changelog names one, also repairs of crashes by malformed input, names and paths that are validated, what is escaped, unsafe things that are refused, limits of depth, forms and algorithms that are accepted no longer, timeouts of handshakes and headers, segmentation faults, and fixes that are marked as breaking",
    severity: "high",
    limits:
      "A fix whose message does not say so is not found, unless the changelog does. A fault that shows on exit does not count, and neither does a warning of a tool or the repair of an earlier fix.",
    advice: "Ask a security owner to review it and install the release soon, because an attacker can read the fix too.",
  },
  "security-announced": {
    kind: "security_fix",
    looksAt: "commits to the docs whose subject names an advisory, if product code changes and no other commit is the fix",
    severity: "high",
    limits: "Which commit is the fix stays unknown.",
    advice: "Ask a security owner to find the fix and to review it.",
  },
  "security-dependency": {
    kind: "security_fix",
    looksAt:
      "steps of runtime dependencies that a commit calls a matter of security or of a known attack, or, if no manifest shows such a step, commits to manifests and lockfiles whose subject says that they move something for security",
    severity: "high",
    limits: "A step that no message explains needs a list of advisories. A step of a tool for development does not count.",
    advice: "Check whether the product uses the vulnerable part of the dependency, and install the release soon if it does.",
  },
  "dependency-advisory": {
    kind: "security_fix",
    looksAt:
      "steps of runtime dependencies of npm and Go, and of crates and Python packages whose lowest version is raised to exactly the first one with the fix, whose version before is affected by a published advisory and whose version after is not, from a list that somebody gave",
    severity: "medium",
    limits:
      "Whether the product uses the vulnerable part is unknown. Of a range, the lowest version counts. Lock files and bundled libraries are not compared.",
    advice: "Check whether the product uses the vulnerable part of the dependency, and install the release soon if it does.",
  },
  "security-changelog": {
    kind: "security_fix",
    looksAt:
      "entries that the release adds to a changelog and that speak of a vulnerability or stand below a heading about security, if no other commit is the fix",
    severity: "high",
    limits: "If the entry names no commit, which one is the fix stays unknown. The commit that makes the release is never the fix.",
    advice: "Ask a security owner to review it and install the release soon, because an attacker can read the changelog too.",
  },
  "breaking-major": {
    kind: "breaking_change",
    looksAt: "the step of the version, if product code or a manifest changes with it",
    severity: "high",
    limits: "A minor step of 0.x is not enough, because most such steps break nobody.",
    advice: "Read the upgrade notes and ask the people who use it before the rollout.",
  },
  "breaking-marker": {
    kind: "breaking_change",
    looksAt:
      'commits to the product with "!" after the type, a footer BREAKING CHANGE, or the word breaking or major as the type, or whose subject says that the API or a call has another form, that a class is abstract now, that something is required by its name in code or that packages move where nobody can import them',
    severity: "high",
    limits: "Projects without such a convention have no markers.",
    advice: "Ask the people who use the changed part before the rollout.",
  },
  "removed-exports": {
    kind: "removed_api",
    looksAt:
      "exported names of product code that are gone, in Rust and Go also public fields and functions of interfaces and traits, in Rust also features of a crate, in Python also constants of classes and parameters that callers give by name. In JavaScript and TypeScript, only names of entry files count",
    severity: "high, or medium in a patch and in a program of 0.x",
    limits:
      "C and other languages have no such facts, and Rust has them only for libraries. Methods count only in Python and Go, and not those that only the language calls. Private names, Go programs, Python scripts beside folders with code and applications with pinned dependencies do not count. In a patch and in 0.x, fewer names of Python modules than `unpromisedNames` do not count, and in a patch a feature that only an optional dependency implies does not.",
    advice: "Search the code that uses it for the removed names before the rollout.",
  },
  "changed-signatures": {
    kind: "breaking_change",
    looksAt:
      "public functions and methods of Rust and Go libraries that have other parameters, public fields that have another type, aliases of Rust that stand for another type, variants of an exhaustive enumeration that are new or have other values, and functions that an implementation of an interface or a trait must have now",
    severity: "high, or medium in a patch and for an interface, a trait or a new variant alone",
    limits:
      "In other languages, most changes of parameters break nobody. A new function of an interface that only its package can implement does not count.",
    advice: "Build the code that uses the library before the rollout.",
  },
  "narrowed-access": {
    kind: "breaking_change",
    looksAt:
      "commits to product code whose subject requires an administrator, a login, a permission or POST, trusts only some senders, refuses a token by one way, or no longer follows redirects",
    severity: "high",
    limits: "A feature that brings its own right does not count.",
    advice: "Find out who used it without the right that is needed now, before the rollout.",
  },
  "dropped-runtime": {
    kind: "runtime_requirement",
    looksAt: "commits to a manifest whose subject gives up a version of a language or run time, or raises the smallest one",
    severity: "medium",
    limits: "Programs do not count, as far as the changed files show that the product is one.",
    advice: "Check which version the users of the library have.",
  },
  "removed-support": {
    kind: "removed_api",
    looksAt:
      "commits to product code whose subject removes support or something deprecated, an old behaviour, a route, a cipher or a metric, or makes a name private, or removes a public name that the facts show to be gone or to have another form, or, with a change of the docs, an option, a method, a name of code and the like",
    severity: "high",
    limits: "A language or run time that is dropped is a requirement, not an API.",
    advice: "Find out who still uses what is removed before the rollout.",
  },
  "breaking-changelog": {
    kind: "breaking_change",
    looksAt: "entries of the changelog that call a change breaking, if no other finding is about it",
    severity: "high, or medium in a patch and in a program of 0.x",
    limits:
      "A major step has its own finding. Entries that only describe the change are not found. In a patch, a single entry without a commit does not count.",
    advice: "Read the entry and ask the people who use the changed part before the rollout.",
  },
  "removed-changelog": {
    kind: "removed_api",
    looksAt: "entries of the changelog that say that something is removed, if no other finding is about it",
    severity: "high, or medium in a patch and in a program of 0.x",
    limits:
      "A language or run time that is dropped is a requirement, not an API. In a patch, a single entry without a commit does not count.",
    advice: "Find out who still uses what is removed before the rollout.",
  },
  "new-migration": {
    kind: "migration",
    looksAt:
      "new files with statements that change a schema, in a folder of a migration tool, or a file named migrations in a folder of a database that grows",
    severity: "high",
    limits: "A migration that was only edited does not count, because it does not run again. Neither does a template of migrations.",
    advice: "Make a backup, try the migration on a copy of the data, and write down how to go back.",
  },
  "open-advisory": {
    kind: "risky_area",
    looksAt: "published advisories about the package that affect the later version too, from a list that somebody gave",
    severity: "medium, or high if the earlier version is not affected",
    limits: "Whether the vulnerable part is used is unknown.",
    advice: "Ask a security owner whether the vulnerability concerns you, and plan the version that fixes it.",
  },
  "dependency-vulnerable": {
    kind: "risky_area",
    looksAt:
      "runtime dependencies that are new or move, and whose exact version after is affected by a published advisory and the one before is not, from a list that somebody gave",
    severity: "medium",
    limits: "Whether the product uses the vulnerable part is unknown. A range does not count, because it allows later versions.",
    advice: "Move the dependency to a version with the fix, or check that the product does not use the vulnerable part.",
  },
  "security-relaxed": {
    kind: "risky_area",
    looksAt: "commits to product code that relax or repair the fix of an advisory",
    severity: "medium",
    limits: "The commit must name the advisory.",
    advice: "Check that the earlier vulnerability stays closed.",
  },
  "security-hardening": {
    kind: "security_hardening",
    looksAt:
      "commits to product code that harden something, limit a rate or a length, turn off a part of TLS, enforce a policy, send a header that makes browsers careful, or add protection from an attack",
    severity: "medium",
    limits: "Only the words of the subject show it.",
    advice: "Check that honest users stay below the new limits.",
  },
  "runtime-raised": {
    kind: "runtime_requirement",
    looksAt: "minimum versions of languages and run times in manifests",
    severity: "medium",
    limits: "An image or a workflow with another version is not a requirement. A lower version keeps nobody out.",
    advice: "Check the versions on every system that runs or builds it.",
  },
  "dependency-major": {
    kind: "dependency_major",
    looksAt: "runtime dependencies that move to another major version, up or down, and Go modules whose path has another one",
    severity: "medium",
    limits:
      "Dependencies for development, tests and docs do not count, and neither do indirect ones and the requirements file beside a Python package. From `bulkSteps`, a commit must name the dependency.",
    advice: "Read the upgrade notes of the dependency and test the features that use it.",
  },
  "large-change": {
    kind: "large_change",
    looksAt: "inserted lines of product code, without tests, docs, generated and vendored files and lockfiles",
    severity: "medium, or high from `hugeCodeLines`",
    limits: "A candidate is never high because of its size.",
    advice: "Roll it out in steps and watch each step.",
  },
  "new-feature": {
    kind: "new_feature",
    looksAt: "commits to product code of the type feat, or whose subject begins with a verb such as add, support or allow",
    severity: "medium",
    limits:
      "Words such as missing, test, log or protection after the verb do not count, and neither does what only developers use or what has the type fix. In a patch, one of the commits must have the type feat or change the docs, and allow does not count.",
    advice: "Roll it out in steps, and check that the feature can be turned off.",
  },
  "stricter-use": {
    kind: "breaking_change",
    looksAt:
      "in a minor step, commits to product code whose subject begins by saying that something is now refused, disallowed, required or enforced",
    severity: "medium",
    limits: "A commit with the type fix does not count, because what it refuses was never meant to work.",
    advice: "Check whether your use is among what is refused now.",
  },
  "changed-behaviour": {
    kind: "behaviour_change",
    looksAt:
      "commits to product code whose subject begins by saying that a default changes, that something is done by default or, in a patch, that something is now refused or required",
    severity: "medium",
    limits: "Most changes of behaviour have other words and are not found. In a major step, users know that the behaviour changes.",
    advice: "Ask whether somebody relies on the earlier behaviour.",
  },
  deprecation: {
    kind: "deprecation",
    looksAt: "commits to product code whose subject begins with deprecate, or adds a deprecation warning",
    severity: "medium",
    limits: "Warnings that come without such a subject are not found.",
    advice: "Plan the move away from what is deprecated.",
  },
  "dependency-steps": {
    kind: "dependency_change",
    looksAt:
      "runtime dependencies that are new, gone or at another version, in releases with few changed files of product code. Steps of packages and of modules of the same repository do not count",
    severity: "low, or medium from `runtimeSteps`",
    limits: "What changes inside the dependency is unknown.",
    advice: "Read the changelogs of the dependencies that read foreign input.",
  },
  "dependency-closes": {
    kind: "dependency_change",
    looksAt:
      "the same steps as `dependency-advisory` of Go itself, of modules below golang.org/x and of all other runtime dependencies with an exact version",
    severity: "medium",
    limits:
      "These packages have many parts, and mostly the product does not use the vulnerable one. Indirect requirements of Go do not count, and neither does a lowest version that is raised, because users could have the later one before.",
    advice: "Check whether the product uses the vulnerable part of the dependency, and install the release soon if it does.",
  },
  hotfix: {
    kind: "hotfix",
    looksAt:
      "patches with few commits soon after the earlier release that repair lines of product code which it brought, say so, or come within `hotfixRushDays`, and have no matter of security and no feature",
    severity: "low",
    limits:
      "Lines may be new without being wrong. Another text of a warning or an error is no hotfix. Facts from before the field `freshSince` show only what the subjects say.",
    advice: "Install it instead of the earlier release.",
  },
  revert: {
    kind: "revert",
    looksAt:
      "commits to product code that take back a change of an earlier release, and runtime dependencies that move back by a commit that says so",
    severity: "low",
    limits: "A revert of a change in the same release does not count. If the facts omit commits, only a revert that names a hash counts.",
    advice: "Find out whether somebody already relies on what is taken back.",
  },
  "feature-step": {
    kind: null,
    looksAt: "a minor step of the version with changed product code",
    severity: "medium",
    limits: "It gives no finding, because a step of a version is no evidence of anything.",
    advice: "",
  },
  "code-lines": {
    kind: null,
    looksAt: "inserted plus deleted lines of product code",
    severity: "medium from `codeLinesForLook`",
    limits: "It gives no finding. Lines say nothing about what they do.",
    advice: "",
  },
} as const satisfies Record<string, ChangeRule>;

export type RuleName = keyof typeof changeRules;
