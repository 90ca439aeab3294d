import { type ServerKind, serverKinds } from "./server-kinds.ts";
import { type ServerSource, serverSources } from "./test-server.ts";

/** The environment's settings of servers for tests. */
export interface TestEnvironment {
  /** Returns the URL that is set for a kind, or null. */
  url(kind: ServerKind): string | null;
  image(kind: ServerKind): string;
  /** The path on which to search for programs. */
  readonly searchPath: string;
  /** The permitted sources of servers. By default all are permitted. `TEST_SERVERS=container` permits only containers. */
  readonly sources: readonly ServerSource[];
  /** Whether this is a build server. There a test without its server fails, because nobody reads which tests were skipped. */
  readonly onBuildServer: boolean;
}

export function readEnvironment(variables: Readonly<Record<string, string | undefined>> = process.env): TestEnvironment {
  const named = (name: string): string | null => variables[name] || null;
  return {
    url: (kind) => named(serverKinds[kind].variable),
    image: (kind) => named(serverKinds[kind].imageVariable) ?? serverKinds[kind].image,
    searchPath: variables["PATH"] ?? "",
    sources: readSources(named("TEST_SERVERS")),
    onBuildServer: ["true", "1"].includes(variables["CI"] ?? ""),
  };
}

function readSources(text: string | null): readonly ServerSource[] {
  if (text === null) return serverSources;
  const words = text.split(",").map((word) => word.trim());
  const unknown = words.find((word) => !serverSources.some((source) => source === word));
  if (unknown !== undefined) throw new Error(`TEST_SERVERS does not know "${unknown}". It is a list of ${serverSources.join(", ")}.`);
  return serverSources.filter((source) => words.includes(source));
}
