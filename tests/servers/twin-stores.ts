import type { Change, CommitReply, OutboxRow, Seen, StateStore, TimerRow } from "@toolbus/state";
import type { Place, PlannedChange, Step } from "./store-steps.ts";

/** Two stores with one clock. */
export interface Twins {
  readonly reference: StateStore;
  readonly subject: StateStore;
  readonly now: () => number;
  readonly advance: (ms: number) => void;
}

/** The answers of both stores to a step. */
export interface Answers {
  readonly what: string;
  readonly reference: unknown;
  readonly subject: unknown;
}

type Row = TimerRow | OutboxRow;
type Store = "reference" | "subject";

const NAMES = [0, 1, 2];
const SHARDS = ["00", "01"];
const ALL = 1000;

/**
 * Runs the same sequence of steps on both stores, and then reads all content. The names are used by no other sequence. Two differences between stores
 * are allowed, so they are removed from the answers: the form of a mark, and the order of rows that are due at the same time.
 */
export async function answersOf({ now, advance, ...stores }: Twins, salt: string, steps: readonly Step[]): Promise<readonly Answers[]> {
  const answers: Answers[] = [];
  const changes: { readonly shard: string; readonly change: Change; readonly seen: PlannedChange["seen"] }[] = [];
  const seen = { reference: new Map<string, Seen>(), subject: new Map<string, Seen>() };
  const dues = new Map<string, Map<string, number>>();
  const hashes = new Set<string>();
  for (const step of steps) await take(step);
  await readAll();
  return answers;

  async function take(step: Step): Promise<void> {
    switch (step.kind) {
      case "commit":
        changes.push(await planned(step.change));
        return commit(0);
      case "repeat":
        return commit(step.back);
      case "read":
        return both("read", (store) => store.read(step.documents.map((place) => key("document", place))));
      case "claim":
        return claim(step.service, step.of, step.limit, step.visibleAfter);
      case "settle": {
        const rows = step.rows.map((place) => ({ shard: shardOf(place.shard), id: `id-${place.name}` }));
        for (const { shard, id } of rows) dueOf(step.service, "outbox").delete(`${shard} ${id}`);
        return both("settle", (store) => store.settle(service(step.service), rows));
      }
      case "range":
        return both("range", (store) => store.range(key("log", step.log), step));
      case "live":
        return both("live", (store) => store.live(key("log", step.log), step.batch));
      case "recent":
        return both("recent", (store) => store.recent(key("log", step.log)));
      case "page":
        return both("page", (store) => store.page(index(step.index), step));
      case "blob":
        return both("blob", async (store) => {
          const hash = await store.putBlob(Buffer.from(step.text));
          hashes.add(hash);
          return hash;
        });
      case "advance":
        return advance(step.ms);
    }
  }

  async function both(what: string, act: (store: StateStore, which: Store) => Promise<unknown>): Promise<void> {
    const answer = (which: Store) => act(stores[which], which).catch((error: Error) => ({ error: error.message }));
    answers.push({ what, reference: await answer("reference"), subject: await answer("subject") });
  }

  async function commit(back: number): Promise<void> {
    const made = changes.at(-1 - back);
    if (!made) return;
    const { shard, change } = made;
    await both(`commit ${JSON.stringify(change)}`, async (store, which) => {
      const presented = made.seen === "last" ? seen[which].get(shard) : made.seen === "wrong" ? { commit: 1, mark: "!another" } : undefined;
      const before = seen[which].get(shard);
      const { mark, ...reply } = await store.commit(shard, presented ? { ...change, seen: presented } : change);
      if (mark !== undefined) seen[which].set(shard, { commit: reply.commit, mark });
      if (which === "reference" && reply.commit > (before?.commit ?? 0)) noteDues(shard, change, reply);
      return { ...reply, marked: mark !== undefined };
    });
  }

  function noteDues(shard: string, { timers = [], outbox = [] }: Change, { outcome }: Pick<CommitReply, "outcome">): void {
    if (outcome !== "ok") return;
    for (const { service: name, id, dueIn } of timers) {
      const rows = dueOf(name, "timer");
      if (dueIn === null) rows.delete(`${shard} ${id}`);
      else rows.set(`${shard} ${id}`, now() + dueIn);
    }
    for (const { service: name, id, dueIn } of outbox) dueOf(name, "outbox").set(`${shard} ${id}`, now() + dueIn);
  }

  async function claim(n: number, of: "timer" | "outbox", most: number, visibleAfter: number): Promise<void> {
    const rows = dueOf(n, of);
    const times = [...rows.values()].filter((due) => due <= now()).toSorted((a, b) => a - b);
    // If several rows are due at the same time, the limit could leave a different one in each store. So the limit is raised in this case.
    const limit = most > 0 && times[most - 1] === times[most] ? ALL : most;
    await both(`claim ${of}`, async (store, which) => {
      const options = { limit, visibleAfter };
      const claimed: readonly Row[] =
        of === "timer" ? await store.claim(service(n), "timer", options) : await store.claim(service(n), "outbox", options);
      if (which === "reference") for (const { shard, id } of claimed) rows.set(`${shard} ${id}`, now() + visibleAfter);
      const inOrder = claimed.every((row, at) => row.due >= (claimed[at - 1]?.due ?? 0));
      return { inOrder, rows: claimed.toSorted((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1)) };
    });
  }

  async function readAll(): Promise<void> {
    const places = SHARDS.flatMap((_, shard) => NAMES.map((name): Place => ({ shard, name })));
    await both("all that is held", (store) =>
      Promise.all([
        store.read(places.map((place) => key("document", place))),
        ...places.map((place) => store.range(key("log", place), { after: 0, limit: ALL })),
        ...places.map((place) => store.recent(key("log", place))),
        ...[0, 1].map((n) => walk(store, index(n))),
        ...[...hashes].map(async (hash) => Buffer.from((await store.getBlob(hash)) ?? []).toString()),
      ]),
    );
    for (const n of [0, 1]) for (const of of ["timer", "outbox"] as const) await claim(n, of, ALL, 1);
    advance(120_000);
    for (const n of [0, 1]) for (const of of ["timer", "outbox"] as const) await claim(n, of, ALL, 1);
  }

  /** Makes a change with the current versions and times. So the change is valid more often than a random one. */
  async function planned(plan: PlannedChange): Promise<(typeof changes)[number]> {
    const place = (name: number): Place => ({ shard: plan.shard, name });
    const { documents } = await stores.reference.read(plan.guards.map(({ name }) => key("document", place(name))));
    const guards = plan.guards.map(({ name, version }, n) => ({
      key: key("document", place(name)),
      version: version === "right" ? (documents[n]?.version ?? 0) : version === "absent" ? 0 : 999_999,
    }));
    const at = (inMs: number | null) => (inMs === null ? {} : { expiresAt: now() + inMs });
    const puts = plan.put.map(({ name, value, expiresIn }) => ({ key: key("document", place(name)), value, ...at(expiresIn) }));
    const put = [...new Map(puts.map((entry) => [entry.key, entry])).values()];
    const remove = [...new Set(plan.remove.map((name) => key("document", place(name))))].filter((name) =>
      put.every((entry) => entry.key !== name),
    );
    const [first] = guards;
    const works = put.length + plan.append.length + plan.outbox.length > 0;
    if (first?.version === 0 && works && ![...put.map((entry) => entry.key), ...remove].includes(first.key))
      put.push({ key: first.key, value: "first" });
    const change: Change = {
      op: `${salt}-${changes.length}`,
      guards,
      put,
      remove,
      ...(plan.notAfterIn === null ? {} : { notAfter: now() + plan.notAfterIn }),
      append: plan.append.map(({ name, entries, expiresIn }) => ({ log: key("log", place(name)), entries, ...at(expiresIn) })),
      timers: plan.timers.map(({ service: n, name, dueIn }) => ({ service: service(n), id: `id-${name}`, dueIn })),
      outbox: plan.outbox.map(({ service: n, name, message, dueIn }) => ({
        service: service(n),
        id: `id-${name}`,
        topic: `t.${name}`,
        message,
        dueIn,
      })),
      index: plan.index.map(({ index: n, name, score }) => ({ index: index(n), member: `m${name}`, score })),
    };
    return { shard: shardOf(plan.shard), change, seen: plan.seen };
  }

  function key(kind: "document" | "log", { shard, name }: Place): string {
    return `tb:${kind}.${salt}:{${shardOf(shard)}}:${name}`;
  }

  function service(n: number | string): string {
    return typeof n === "string" ? n : `${salt}-service-${n}`;
  }

  function index(n: number): string {
    return `index.${salt}-${n}`;
  }

  function dueOf(n: number | string, of: "timer" | "outbox"): Map<string, number> {
    const name = `${of} ${service(n)}`;
    const rows = dues.get(name) ?? new Map<string, number>();
    dues.set(name, rows);
    return rows;
  }
}

async function walk(store: StateStore, index: string): Promise<unknown> {
  const pages: unknown[] = [];
  for (let cursor: string | undefined; ;) {
    const page = await store.page(index, { limit: 2, ...(cursor === undefined ? {} : { cursor }) });
    pages.push(page);
    cursor = page.cursor;
    if (cursor === undefined) return pages;
  }
}

function shardOf(n: number): string {
  return SHARDS[n] ?? "";
}

function placeOf({ due, shard, id }: Row): string {
  return `${String(due).padStart(20, "0")} ${shard} ${id}`;
}
