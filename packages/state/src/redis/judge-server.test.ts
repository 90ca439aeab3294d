import { describe, expect, it } from "vitest";
import { judgeServer } from "./judge-server.ts";
import { factsOf, infoLines, type ServerFacts } from "./server-facts.ts";

const fit: ServerFacts = {
  version: "7.0.15",
  isReplica: false,
  isClustered: false,
  aof: true,
  fsync: "always",
  eviction: "noeviction",
  replays: true,
};
const SHOWN = "Redis at host:6379";

describe("a Redis for the state store", () => {
  it("is fit if it keeps what it acknowledges", () => {
    expect(judgeServer(fit, SHOWN, "required")).toEqual({ refusal: null, warnings: [] });
  });

  it.each(["6.2.14", "5.0.7"])("is refused in version %s, however relaxed", (version) => {
    expect(judgeServer({ ...fit, version }, SHOWN, "relaxed").refusal).toBe(
      `Redis at host:6379 is version ${version}, too old for the state store: use Redis 7.0 or newer, or Valkey.`,
    );
  });

  it.each(["7.2.4", "8.2.1", "10.0.0"])("is fit in version %s", (version) => {
    expect(judgeServer({ ...fit, version }, SHOWN, "required").refusal).toBeNull();
  });

  it("is refused as a replica, however relaxed", () => {
    expect(judgeServer({ ...fit, isReplica: true }, SHOWN, "relaxed").refusal).toContain("is a replica, which accepts no changes");
  });

  it("is refused if it would omit multi-command commits when it reads its file, unless it keeps no file", () => {
    expect(judgeServer({ ...fit, replays: false }, SHOWN, "required").refusal).toBe(
      `${SHOWN} may lose what it has acknowledged, because it leaves out of its append-only file, when it starts again, what its user "default" may not write (redis/redis#14541): ` +
        'set "ACL SETUSER default off allkeys allchannels +@all", in redis.conf and its file of users as well, or allow it for a trial: add durability=relaxed to the URL, as in redis://host:6379?durability=relaxed.',
    );
    expect(judgeServer({ ...fit, aof: false, replays: false }, SHOWN, "relaxed").warnings).toEqual([
      expect.not.stringContaining("default"),
    ]);
  });

  it("is not asked when it syncs to disk if it keeps no file at all", () => {
    const { warnings } = judgeServer({ ...fit, aof: false, fsync: "everysec" }, SHOWN, "relaxed");
    expect(warnings).toEqual([expect.stringContaining("keeps no append-only file")]);
  });

  it("is accepted if it says nothing, with a warning that names what is unknown", () => {
    const silent: ServerFacts = {
      version: null,
      isReplica: false,
      isClustered: false,
      aof: null,
      fsync: null,
      eviction: null,
      replays: null,
    };
    expect(judgeServer(silent, SHOWN, "required")).toEqual({
      refusal: null,
      warnings: [
        `This login may not read the version, appendonly, appendfsync, maxmemory-policy, the rights of the user "default" of ${SHOWN}, so it did not check this; "toolbus permissions --set-up" checks it with its own login.`,
      ],
    });
  });
});

describe("what a server reports about itself", () => {
  const info = infoLines(
    "# Server\r\nredis_version:7.2.4\r\nserver_name:valkey\r\n\r\n# Replication\r\nrole:slave\r\ncluster_enabled:1\r\naof_enabled:0\r\nmaxmemory_policy:volatile-lru\r\n",
  );

  it("is read from INFO if CONFIG says nothing", () => {
    expect(factsOf(info, new Map())).toEqual({
      version: "7.2.4",
      isReplica: true,
      isClustered: true,
      aof: false,
      fsync: null,
      eviction: "volatile-lru",
      replays: null,
    });
  });

  it("is read from CONFIG if that answers", () => {
    const config = new Map([
      ["appendonly", "yes"],
      ["appendfsync", "everysec"],
      ["maxmemory-policy", "noeviction"],
    ]);
    expect(factsOf(info, config)).toMatchObject({ aof: true, fsync: "everysec", eviction: "noeviction" });
  });

  it("is unknown if neither answers", () => {
    expect(factsOf(new Map(), new Map())).toEqual({
      version: null,
      isReplica: false,
      isClustered: false,
      aof: null,
      fsync: null,
      eviction: null,
      replays: null,
    });
  });
});
