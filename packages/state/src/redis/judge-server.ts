import type { ServerFacts } from "./server-facts.ts";

export interface Verdict {
  /** Why the server cannot be used, with the remedy. Null if it can be used. */
  readonly refusal: string | null;
  /** Warnings for the operator of the server. */
  readonly warnings: readonly string[];
}

const OLDEST_MAJOR = 7;

/** Decides whether a server keeps the writes that it acknowledges. "relaxed" durability turns possible losses into warnings. */
export function judgeServer(facts: ServerFacts, shown: string, durability: "required" | "relaxed"): Verdict {
  const unfit = unfitness(facts, shown);
  if (unfit !== null) return { refusal: unfit, warnings: [] };
  const loss = possibleLoss(facts, shown);
  if (loss !== null && durability === "required")
    return { refusal: `${loss}, or allow it for a trial: ${relaxedUrl(shown)}.`, warnings: [] };
  return { refusal: null, warnings: [...(loss === null ? [] : [`${loss}.`]), ...doubts(facts, shown)] };
}

/** Returns the advice to allow the loss in the URL. It omits the login, because the sentence is logged. */
function relaxedUrl(shown: string): string {
  const [, place = "127.0.0.1:6379", tls] = / at (\S+)( \(TLS\))?$/.exec(shown) ?? [];
  return `add durability=relaxed to the URL, as in ${tls === undefined ? "redis" : "rediss"}://${place}?durability=relaxed`;
}

function unfitness({ version, isReplica }: ServerFacts, shown: string): string | null {
  if (version !== null && Number(version.split(".")[0]) < OLDEST_MAJOR) {
    return `${shown} is version ${version}, too old for the state store: use Redis 7.0 or newer, or Valkey.`;
  }
  return isReplica ? `${shown} is a replica, which accepts no changes: name its primary.` : null;
}

function possibleLoss({ aof, eviction, replays }: ServerFacts, shown: string): string | null {
  const faults = [
    ...(aof === false ? [{ what: "keeps no append-only file", remedy: "CONFIG SET appendonly yes" }] : []),
    ...(eviction !== null && eviction !== "noeviction"
      ? [{ what: `removes keys when memory is full (${eviction})`, remedy: "CONFIG SET maxmemory-policy noeviction" }]
      : []),
    ...(replays === false && aof !== false
      ? [
          {
            what: 'leaves out of its append-only file, when it starts again, what its user "default" may not write (redis/redis#14541)',
            remedy: "ACL SETUSER default off allkeys allchannels +@all",
          },
        ]
      : []),
  ];
  if (faults.length === 0) return null;
  return (
    `${shown} may lose what it has acknowledged, because it ${faults.map(({ what }) => what).join(" and ")}: ` +
    `set ${faults.map(({ remedy }) => `"${remedy}"`).join(" and ")}, in ${replays === false ? "redis.conf and its file of users" : "redis.conf"} as well`
  );
}

function doubts({ version, aof, fsync, eviction, replays }: ServerFacts, shown: string): readonly string[] {
  const unknown = [
    ...(version === null ? ["the version"] : []),
    ...(aof === null ? ["appendonly"] : []),
    ...(fsync === null && aof !== false ? ["appendfsync"] : []),
    ...(eviction === null ? ["maxmemory-policy"] : []),
    ...(replays === null && aof !== false ? ['the rights of the user "default"'] : []),
  ];
  return [
    ...(aof !== false && fsync !== null && fsync !== "always"
      ? [
          `${shown} syncs to disk with appendfsync ${fsync}: a power cut may take the last seconds of what it has acknowledged; "CONFIG SET appendfsync always" keeps all.`,
        ]
      : []),
    ...(unknown.length === 0
      ? []
      : [
          `This login may not read ${unknown.join(", ")} of ${shown}, so it did not check this; "toolbus permissions --set-up" checks it with its own login.`,
        ]),
  ];
}
