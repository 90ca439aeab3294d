import { readFileAt } from "../blob-reader.ts";
import type { Git } from "../git-command.ts";
import type { DependencyStep } from "./dependency-steps.ts";

/** Go's own packages and its compiler are modules in Go's database. */
const GO_ITSELF = ["stdlib", "toolchain"] as const;

/**
 * Returns the steps of the release of Go itself. The file .go-version says with which one the project is built. Without it, a program is built with the line
 * `toolchain` of go.mod, and the line `go` says which release is the lowest one. Only a version with a patch names a release.
 */
export async function goSteps(
  git: Git,
  [base, head]: readonly [base: string, head: string],
  directory: string | null,
  isProgram: boolean,
): Promise<readonly DependencyStep[]> {
  const folder = directory === null ? "" : `${directory}/`;
  const after = await goAt(git, head, folder, isProgram);
  const before = after === null ? null : await goAt(git, base, folder, isProgram);
  if (after === null || before === null || before.version === after.version) return [];
  const exact = before.exact && after.exact;
  return GO_ITSELF.map((name) => ({
    ecosystem: "Go",
    manifest: after.file,
    name,
    use: "runtime",
    from: before.version,
    to: after.version,
    exact,
  }));
}

interface GoVersion {
  readonly file: string;
  readonly version: string;
  readonly exact: boolean;
}

async function goAt(git: Git, commit: string, folder: string, isProgram: boolean): Promise<GoVersion | null> {
  const file = `${folder}go.mod`;
  const manifest = await readFileAt(git, commit, file);
  if (manifest === undefined) return null;
  const own = await readFileAt(git, commit, ".go-version");
  const [, built] = /^\s*(?:go)?(\d{1,3}\.\d{1,3}\.\d{1,3})\s*$/.exec(own?.slice(0, 100) ?? "") ?? [];
  if (built !== undefined) return { file: ".go-version", version: built, exact: true };
  const [, toolchain] = /^toolchain\s+go(\d{1,3}\.\d{1,3}\.\d{1,3})\s*$/m.exec(manifest) ?? [];
  if (toolchain !== undefined && isProgram) return { file, version: toolchain, exact: true };
  const [, lowest] = /^go\s+(\d{1,3}\.\d{1,3}\.\d{1,3})\s*(?:\/\/.*)?$/m.exec(manifest) ?? [];
  return lowest === undefined ? null : { file, version: lowest, exact: false };
}
