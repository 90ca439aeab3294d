import type { StateStore } from "@toolbus/state";
import { attributeNames, errorType, measure, metricNames } from "@toolbus/telemetry";

/** Returns the store with a measurement of each operation. `follow` is not measured, because it ends only with its reader. */
export function measuredStore(state: StateStore, monotonic: () => number): StateStore {
  const claim = (async (...args: Parameters<StateStore["claim"]>) => timed("claim", () => state.claim(...args))) as StateStore["claim"];
  return {
    shards: state.shards,
    ownersDeadBefore: state.ownersDeadBefore,
    read: (keys) => timed("read", () => state.read(keys)),
    commit: (shard, change) => timed("commit", () => state.commit(shard, change)),
    head: (shard) => timed("head", () => state.head(shard)),
    changed: (shard, since, known) => timed("changed", () => state.changed(shard, since, known)),
    claim,
    settle: (service, rows) => timed("settle", () => state.settle(service, rows)),
    range: (log, options) => timed("range", () => state.range(log, options)),
    live: (log, batch) => timed("live", () => state.live(log, batch)),
    recent: (log) => timed("recent", () => state.recent(log)),
    genuine: (log, batches) => timed("genuine", () => state.genuine(log, batches)),
    follow: (options) => state.follow(options),
    page: (index, options) => timed("page", () => state.page(index, options)),
    putBlob: (bytes) => timed("putBlob", () => state.putBlob(bytes)),
    getBlob: (hash) => timed("getBlob", () => state.getBlob(hash)),
    probe: () => timed("probe", () => state.probe()),
    close: () => state.close(),
  };

  async function timed<T>(operation: string, work: () => Promise<T>): Promise<T> {
    const started = monotonic();
    const tags = { [attributeNames.stateOperation]: operation };
    try {
      const answer = await work();
      measure(metricNames.stateDuration, monotonic() - started, tags);
      return answer;
    } catch (error) {
      measure(metricNames.stateDuration, monotonic() - started, { ...tags, [attributeNames.errorType]: errorType(error) });
      throw error;
    }
  }
}
