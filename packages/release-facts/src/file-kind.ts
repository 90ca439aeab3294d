import type { FileKind } from "./release-facts.ts";

const LOCKFILES =
  /^(?:package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|yarn\.lock|bun\.lockb?|cargo\.lock|go\.sum|poetry\.lock|uv\.lock|pdm\.lock|pipfile\.lock|gemfile\.lock|composer\.lock|flake\.lock)$/;
const MANIFESTS =
  /^(?:package\.json|go\.mod|cargo\.toml|pyproject\.toml|setup\.(?:py|cfg)|(?:dev-|test-)?requirements[\w.-]{0,40}\.txt|pipfile|gemfile|[\w.-]{1,60}\.gemspec|composer\.json|pom\.xml|build\.gradle(?:\.kts)?|pnpm-workspace\.yaml)$/;
const CODE =
  /\.(?:[cm]?[jt]sx?|py|pyx|go|rs|c|cc|cpp|cxx|h|hh|hpp|java|kt|kts|scala|rb|php|cs|swift|sh|bash|ps1|lua|ex|exs|erl|svelte|vue|sql|graphql|proto|l|y|s|asm)$/;
const DOCS = /\.(?:md|mdx|rst|adoc|txt|tex|1|3|html?|vtt|ipynb)$/;
const DOC_FILES =
  /^(?:readme|changes|changelog|history|news|license|licence|copying|authors|contributors|contributing|security|code_of_conduct|maintainers|release|notice|codeowners|governance)\b/;
const ASSETS =
  /\.(?:png|jpe?g|gif|svg|ico|webp|avif|woff2?|ttf|otf|eot|pdf|mp[34]|zip|gz|tgz|bz2|xz|wasm|css|s[ac]ss|less|pem|crt|key|der|bin)$/;
const CONFIG = /\.(?:ya?ml|toml|ini|cfg|conf|env|json5?|jsonc|properties|cmake|in|ac|am|m4|mk|xml|nix|bat|cmd)$/;
const CONFIG_FILES =
  /^(?:makefile|dockerfile|cmakelists\.txt|configure|build\.rs|justfile|procfile|rakefile|gruntfile\.js|gulpfile\.js|\..{1,60}|[\w.-]{1,60}\.config\.[cm]?[jt]s)$/;
const CI_FILES =
  /^(?:\.travis\.yml|appveyor\.yml|\.appveyor\.yml|\.gitlab-ci\.yml|azure-pipelines\.yml|jenkinsfile|\.cirrus\.yml|tox\.ini|noxfile\.py|codecov\.yml|\.codecov\.yml|renovate\.json5?|\.goreleaser\.ya?ml|\.pre-commit-config\.yaml)$/;

/** Returns the kind of a file as its path shows it. Only {@link kindOf} can return `migration`. */
export function kindOfPath(path: string): FileKind {
  const lower = path.toLowerCase();
  const folders = lower.split("/");
  const file = folders.pop() ?? "";
  const inside = (...names: readonly string[]) => folders.some((folder) => names.includes(folder));

  if (inside("vendor", "vendored", "third_party", "third-party", "thirdparty", "node_modules", "_vendor")) return "vendored";
  if (inside("static", "public", "assets") && LIBRARIES.test(file)) return "vendored";
  if (LOCKFILES.test(file)) return "lockfile";
  if (CI_FILES.test(file) || lower.startsWith(".github/") || inside(".circleci", ".gitlab", ".buildkite", ".azure-pipelines", ".ci")) {
    return DOCS.test(file) || DOC_FILES.test(file) ? "docs" : "ci";
  }
  if (isTestPath(folders, file)) return "test";
  if (MANIFESTS.test(file)) return inside("example", "examples") ? "example" : "manifest";
  if (inside("changeset", ".changeset", ".changesets", "changelogs")) return "docs";
  // `internal/database/release.go` is code. At the root, a file of this name is a tool that makes releases.
  if (DOC_FILES.test(file) && (folders.length === 0 || !CODE.test(file))) return "docs";
  if (inside("example", "examples", "demo", "demos", "samples", "playground", "playgrounds")) return "example";
  if (inside("docs", "doc", "documentation", "website", "site", "man")) return ASSETS.test(file) ? "asset" : "docs";
  if (isGeneratedPath(file)) return "generated";
  if (/\.d\.[cm]?ts$/.test(file) || /\.pyi$|^py\.typed$/.test(file)) return "types";
  if (ASSETS.test(file)) return "asset";
  if (CONFIG_FILES.test(file)) return "config";
  if (inside("benchmark", "benchmarks", "bench", "scripts", "tools", "tooling") && !inside("src", "lib")) return "other";
  if (CODE.test(file)) return "code";
  if (DOCS.test(file)) return "docs";
  return CONFIG.test(file) ? "config" : "other";
}

/**
 * Returns the kind of a file by its path and content. A migration must be in a folder or have a name that migration tools use, and must also contain
 * statements that change a schema. So a page or a package about migrating is not a migration.
 */
export function kindOf(path: string, content: string | undefined): FileKind {
  const kind = kindOfPath(path);
  if (content === undefined) return kind;
  if ((kind === "code" || kind === "other" || kind === "config") && isMigration(path, content)) return "migration";
  if ((kind === "code" || kind === "config") && /\bDO NOT EDIT\b|@generated\b|\bautomatically generated\b/i.test(content.slice(0, 600)))
    return "generated";
  return kind;
}

function isTestPath(folders: readonly string[], file: string): boolean {
  return (
    folders.some((folder) =>
      /^(?:tests?|__tests__|spec|specs|testing|e2e|testdata|fixtures?|__fixtures__|__mocks__|dummyserver|regression-test|regression_tests|fuzz)$/.test(
        folder,
      ),
    ) ||
    /(?:[._-](?:test|spec|test-d)\.[a-z]{1,5}|^test_[\w-]{1,100}\.py|_test\.(?:go|py|rb|exs)|^tests?\.[a-z]{1,4}|^conftest\.py)$/.test(file)
  );
}

function isGeneratedPath(file: string): boolean {
  return /(?:\.min\.(?:js|css)|\.bundle\.js|\.pb\.go|_pb2(?:_grpc)?\.py|\.generated\.[a-z]{1,4}|_generated\.[a-z]{1,4}|\.map|\.snap)$/.test(
    file,
  );
}

// Libraries that projects copy beside their own pages.
const LIBRARIES = /^(?:jquery|bootstrap|datatables|popper|d3|lodash|moment|react|vue|htmx|chart)(?:[.-][\w.-]{1,60})?\.(?:js|css)$/;

const MIGRATION_PATH =
  /(?:^|\/)(?:migrations?|migrate|alembic\/versions|db\/changelog|schema-changes)\/|(?:^|\/)V\d[\w.]{0,20}__[\w-]{1,100}\.sql$/i;
const DDL = /\b(?:create|alter|drop|rename)\s+(?:unique\s+)?(?:table|index|view|column|type|schema|sequence)\b/i;
const FRAMEWORKS =
  /\bop\.(?:add_column|drop_column|create_table|drop_table|alter_column|execute)\b|\bmigrations\.(?:CreateModel|AddField|RemoveField|AlterField|RunSQL|RunPython|DeleteModel|RenameField)\b|\bActiveRecord::Migration\b|\bqueryInterface\.\w+\(|\bknex\.schema\b|\bschema\.(?:createTable|alterTable|dropTable)\b|\bSchema::(?:create|table|drop)\b|\bimplements MigrationInterface\b|<changeSet\b/;

function isMigration(path: string, content: string): boolean {
  if (!MIGRATION_PATH.test(path)) return false;
  return FRAMEWORKS.test(content) || DDL.test(content);
}
