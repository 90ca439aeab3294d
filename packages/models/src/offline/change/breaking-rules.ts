import { counted } from "@toolbus/contracts";
import type { ReleaseFacts } from "@toolbus/release-facts";
import { quoted } from "../clean-text.ts";
import type { ChangeFinding } from "./change-finding.ts";
import { changeThresholds } from "./change-thresholds.ts";
import { atCommits, atFiles, atPaths, finding, named } from "./evidence.ts";
import { ASIDE, type CommitFacts, type FileFacts, isRelease, type ProductChange, textOf, touches, typeOf } from "./product-change.ts";
import { isPublic } from "./public-names.ts";
import { changedNames, saysRemoval } from "./removal-words.ts";
import { narrowsAccess } from "./security-words.ts";

/** Returns the findings about things that users lose or must change. */
export function breakingFindings(change: ProductChange): readonly ChangeFinding[] {
  return [
    ...majorStep(change),
    ...markers(change),
    ...removedExports(change),
    ...changedSignatures(change),
    ...narrowedAccess(change),
    ...droppedRuntimes(change),
    ...removedSupport(change),
    ...migrations(change),
    ...requirements(change),
  ];
}

function majorStep({ facts, fileCount }: ProductChange): readonly ChangeFinding[] {
  const changed = fileCount > 0 || facts.dependencies.list.length > 0 || facts.requirements.length > 0;
  if (facts.version.step !== "major" || !changed) return [];
  const text = `The version moves from ${quoted(facts.version.from ?? "", 60)} to ${quoted(facts.version.to ?? "", 60)}, a major step.`;
  return [finding("breaking-major", "high", text, [])];
}

/** Returns true if a mark in brackets calls the commit breaking, or the subject says that the API has another form. A changed default breaks few users. */
function isMarked(commit: CommitFacts): boolean {
  const type = typeOf(commit);
  const text = textOf(commit.subject);
  if (type === "breaking" || (type === "major" && !/\bdefaults?\b/i.test(text))) return true;
  if (ASIDE.has(type)) return false;
  // A call with another form does not work any longer.
  if (
    touches(commit, "code") &&
    (/^(?:change|convert)[sd]?\b.{0,40}\bsignatures?\b/i.test(text) ||
      /^make[sd]?\b.{0,30}\b(?:arguments?|parameters?|options?)\b.{0,40}\b(?:required|mandatory|(?:keyword|position)(?:al)?[- ]only)\b/i.test(
        text,
      ))
  )
    return true;
  // Users did not have to give it before.
  if (touches(commit, "code") && REQUIRES.test(text)) return true;
  // Whoever imports it by the old path finds nothing there.
  if (touches(commit, "code", "manifest") && MOVES.test(text)) return true;
  // Whoever has a class of its own below an abstract one must have all its methods.
  if (touches(commit, "code") && /^make[sd]?\b.{1,60}\b(?:abstract\b|unsafe`? trait\b)/i.test(text)) return true;
  return (
    touches(commit, "code") &&
    /^(?:[Cc]hange|[Cc]onvert|[Rr]ename|[Ss]witch)[sd]?\b.{0,20}\b(?:APIs?|endpoints?|responses?)\b.{0,30}\bto\b/.test(text)
  );
}

const REQUIRES =
  /^[Rr]equires?\b (?:specifying |setting |passing |that |`[\w.:()]{3,80}`|[a-z]{2,80}(?:_\w{1,80}|[A-Z]\w{1,80})(?![\w.]* ?[<>=~^])).{0,120}$/;
const MOVES =
  /^(?:move[sd]?|make[sd]?)\b.{1,60}\b(?:in)?to (?:an? |the )?internal (?:director(?:y|ies)|folders?|packages?|modules?)\b|^rename[sd]?\b.{1,40}\b(?:module|package) (?:name|path)s?\b/i;

function markers({ facts }: ProductChange): readonly ChangeFinding[] {
  const commits = facts.commits.list.filter(
    (commit) =>
      touches(commit, "code", "migration", "manifest", "config", "types") && !isRelease(commit) && (commit.breaking ?? isMarked(commit)),
  );
  if (commits.length === 0) return [];
  const text = `${counted(commits.length, "commit")} to the product ${commits.length === 1 ? "is" : "are"} marked as breaking.`;
  return [finding("breaking-marker", "high", text, atCommits(commits))];
}

function removedExports(change: ProductChange): readonly ChangeFinding[] {
  const { facts, files, dependencies } = change;
  // A Python project that pins its dependencies exactly is an application, whose names nobody imports.
  if (dependencies.some(({ from, to }) => /^==\s*\d/.test(to ?? from ?? ""))) return [];
  // In a patch, few know a feature that only an optional dependency implies.
  const isKnown = (name: string) => facts.version.step !== "patch" || !name.startsWith("implied feature ");
  const removed = facts.exports.removed.filter(
    ({ file, name }) => isPublic(file, name, facts) && isKnown(name) && isReachable(file, facts),
  );
  if (removed.length === 0 || mayBeInside(removed, facts)) return [];
  const paths = new Set(removed.map(({ file }) => file));
  const text = `${counted(removed.length, "exported name")} of the product ${removed.length === 1 ? "is" : "are"} gone: ${named(removed.map(({ name }) => name))}.`;
  const places = files.filter(({ path }) => paths.has(path));
  const listed = new Set(places.map(({ path }) => path));
  const unlisted = [...paths].filter((path) => !listed.has(path));
  return [finding("removed-exports", promised(facts), text, [...atFiles(places), ...atPaths(unlisted)])];
}

/** A release that promises little may drop a name without a word. In a Python module, every function without "_" looks as if it were public. */
function mayBeInside(removed: readonly { readonly file: string }[], facts: ReleaseFacts): boolean {
  return (
    (facts.version.step === "patch" || isBeforeOne(facts)) &&
    removed.length < changeThresholds.unpromisedNames.value &&
    removed.every(({ file }) => /(?<!__init__)\.py$/.test(file))
  );
}

/**
 * Returns false for names of Rust in a patch. Tools of Rust check that a patch breaks no name that others can reach, so the name is one of an inner module or
 * crate, which the facts cannot tell.
 */
function isReachable(file: string, { version }: ReleaseFacts): boolean {
  return version.step !== "patch" || !file.endsWith(".rs");
}

/**
 * A patch promises that nothing breaks, so in most patches nobody uses the names. In 0.x, the minor step of a library is what the major step is later. The names
 * of a program are used by few.
 */
export function promised(facts: ReleaseFacts): "medium" | "high" {
  const { step } = facts.version;
  if (step === "patch") return "medium";
  return isBeforeOne(facts) && (step !== "minor" || isProgram(facts)) ? "medium" : "high";
}

function isBeforeOne({ version }: ReleaseFacts): boolean {
  return /^v?0\./.test(version.from ?? "");
}

/**
 * In Rust and Go, a call of a function with other parameters does not compile, and neither does a type that lacks a new method of an interface. Other
 * languages have default values or tools that help.
 */
function changedSignatures({ facts, files }: ProductChange): readonly ChangeFinding[] {
  const changed = facts.exports.changed.filter(
    ({ file, name }) => /\.(?:rs|go)$/.test(file) && isPublic(file, name, facts) && isReachable(file, facts),
  );
  if (changed.length === 0) return [];
  const paths = new Set(changed.map(({ file }) => file));
  // What is also new is a method of an interface or a variant. Calls still compile, and few users implement the interface or match every variant.
  const isNew = changed.every(({ file, name }) => facts.exports.added.some((added) => added.file === file && added.name === name));
  const text = `${counted(changed.length, "exported name")} of a library ${changed.length === 1 ? "has" : "have"} another form: ${named(changed.map(({ name }) => name))}.`;
  return [finding("changed-signatures", isNew ? "medium" : promised(facts), text, atFiles(files.filter(({ path }) => paths.has(path))))];
}

const LANGUAGES =
  /\b(?:python|pypy|cpython|node(?:\.?js)?|deno|bun|go(?:\d[\d.]*)?|rust|msrv|ruby|php|java|jdk|jvm|\.net|perl|windows|macos|linux|openssl|visual studio|gcc|clang|py?\d)\b/i;

/** Whoever has not the right that is needed now, or comes by the way that is closed, is kept out. */
function narrowedAccess({ commits }: ProductChange): readonly ChangeFinding[] {
  const narrowing = commits.filter(({ subject }) => narrowsAccess(subject));
  if (narrowing.length === 0) return [];
  const text = `${counted(narrowing.length, "commit")} to product code ${narrowing.length === 1 ? "refuses" : "refuse"} a use that was allowed.`;
  return [finding("narrowed-access", "high", text, atCommits(narrowing))];
}

/** A commit that gives up a version of a language or run time breaks the users of a library who still have it. Nobody imports a program. */
function droppedRuntimes({ facts }: ProductChange): readonly ChangeFinding[] {
  if (isProgram(facts)) return [];
  const dropping = facts.commits.list.filter((commit) => touches(commit, "manifest") && !isRelease(commit) && dropsRuntime(commit));
  if (dropping.length === 0) return [];
  const text = `${counted(dropping.length, "commit")} ${dropping.length === 1 ? "gives" : "give"} up a version of a language or run time.`;
  return [finding("dropped-runtime", "medium", text, atCommits(dropping))];
}

const RUNTIME = String.raw`(?:python|pypy|node(?:\.?js)?|deno|bun|go(?:lang)?|rust|msrv|ruby|php|java|jdk|perl)`;
const DROPS = [
  new RegExp(String.raw`^(?:drop|remove|end)(?:s|ped|d|ed)?\b.{0,30}\b${RUNTIME}\b.{0,12}\d`, "i"),
  new RegExp(String.raw`\b(?:bump|raise|increase|require|set|update)[sd]?\b.{0,20}\b(?:minimum|min\.?|oldest)\b.{0,20}\b${RUNTIME}\b`, "i"),
  new RegExp(
    String.raw`\b(?:bump|raise|increase|require|set|update)[sd]?\b.{0,10}\b${RUNTIME}\b.{0,12}\b(?:minimum|or newer|or later)\b`,
    "i",
  ),
  new RegExp(String.raw`^supports? (?:only )?the .{0,30}\b(?:latest|newest|most recent)\b.{0,30}\b${RUNTIME}\b`, "i"),
  new RegExp(
    String.raw`^(?:document )?${RUNTIME} \d[\d.]{0,5}\+? (?:is )?(?:required|requirement)\b|^document ${RUNTIME} \d[\d.]{0,5} requirement`,
    "i",
  ),
];

function dropsRuntime({ subject }: CommitFacts): boolean {
  return (
    !/\b(?:code|compat\w*|from|tests?|testing|workarounds?)\b/i.test(subject) && DROPS.some((statement) => statement.test(textOf(subject)))
  );
}

/** Returns true if the files show a program: the entry of a Go program, or a lockfile of a Rust program beside its main file. */
function isProgram({ files }: ReleaseFacts): boolean {
  return files.list.some(
    ({ path, kind }) =>
      kind === "code" && !/(?:^|\/)_?examples?\//.test(path) && /(?:^|\/)(?:cmd\/.{1,200}|main)\.go$|(?:^|\/)src\/main\.rs$/.test(path),
  );
}

function removedSupport({ commits, facts }: ProductChange): readonly ChangeFinding[] {
  const names = changedNames(facts);
  const removing = commits.filter((commit) => {
    const text = textOf(commit.subject);
    // "Remove 2.7 support" is about the language.
    return saysRemoval(commit, names) && !LANGUAGES.test(text) && !/^\w+ (?:support for )?v?\d+\.\d+(?: support)?\b/i.test(text);
  });
  if (removing.length === 0) return [];
  const text = `${counted(removing.length, "commit")} to product code ${removing.length === 1 ? "removes" : "remove"} support or something deprecated.`;
  return [finding("removed-support", "high", text, atCommits(removing))];
}

function migrations({ facts }: ProductChange): readonly ChangeFinding[] {
  const isNew = ({ status }: FileFacts) => status === "A";
  const added = facts.files.list.filter((file) => file.kind === "migration" && isNew(file) && !isTemplate(file));
  // Some programs keep all their migrations in one file of code, which only grows.
  const grown = facts.files.list.filter(
    ({ path, kind, status, added: lines, deleted }) => kind === "code" && status === "M" && lines > deleted && GROWING.test(path),
  );
  if (added.length + grown.length === 0) return [];
  // The same migration for another database may be empty, so it has no statement that would show its kind.
  const siblings = facts.files.list.filter(
    (file) => file.kind !== "migration" && isNew(file) && /(?:^|\/)migrations?\/.{1,300}\.sql$/.test(file.path),
  );
  const text =
    added.length > 0
      ? `${counted(added.length, "new migration")} ${added.length === 1 ? "changes" : "change"} the schema of the database.`
      : `The list of migrations of the database grows.`;
  return [finding("new-migration", "high", text, atFiles([...added, ...siblings, ...grown]))];
}

const GROWING = /(?:^|\/)(?:database|db|schema|sql|storage|store)\/(?:\w{1,30}_)?migrations?\.\w{1,4}$/;

/** Returns true for the text of which a tool makes the migrations of its users. Nobody runs it. */
function isTemplate({ path }: FileFacts): boolean {
  return /\.(?:stub|tmpl|tpl|template|j2|ejs|hbs|mako)$|(?:^|\/)(?:stubs?|templates?)\//i.test(path);
}

function requirements({ facts }: ProductChange): readonly ChangeFinding[] {
  // A lower version than before keeps nobody out.
  const changed = facts.requirements.filter(({ from, to }) => from !== null && to !== null && !isLess(numbersIn(to), numbersIn(from)));
  if (changed.length === 0) return [];
  const steps = changed.map(({ name, from, to }) => `${name} from ${from ?? ""} to ${to ?? ""}`);
  const isRaised = changed.some(({ from, to }) => isLess(numbersIn(from ?? ""), numbersIn(to ?? "")));
  return [
    finding(
      "runtime-raised",
      isRaised ? "medium" : "low",
      `The required versions change: ${named(steps)}.`,
      atPaths(changed.map(({ manifest }) => manifest)),
    ),
  ];
}

/** Returns the numbers of the first version in a requirement. */
function numbersIn(requirement: string): readonly number[] {
  return (/\d{1,6}(?:\.\d{1,6}){0,2}/.exec(requirement)?.[0] ?? "0").split(".").map(Number);
}

function isLess(a: readonly number[], b: readonly number[]): boolean {
  const at = [0, 1, 2].find((index) => (a[index] ?? 0) !== (b[index] ?? 0)) ?? 0;
  return (a[at] ?? 0) < (b[at] ?? 0);
}
