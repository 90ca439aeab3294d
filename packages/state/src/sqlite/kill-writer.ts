import { writeSync } from "node:fs";
import { openSqliteStore } from "./sqlite-store.ts";

// The child process of kill.test.ts. It writes until it is killed, and prints the number of each change once the change is acknowledged.

const [directory = "", first = "1"] = process.argv.slice(2);
const store = await openSqliteStore({ directory });
const head = "tb:sample:{00}:head";
const [document] = (await store.read([head])).documents;
let version = document?.version ?? 0;

for (let n = Number(first); ; n++) {
  const { outcome, commit } = await store.commit("00", {
    op: `change ${n}`,
    guards: [{ key: head, version }],
    put: [
      { key: head, value: n },
      { key: `tb:sample:{00}:item-${n}`, value: n },
    ],
    append: [{ log: "tb:sample:{00}:log", entries: [n] }],
    timers: [{ service: "s", id: `timer-${n}`, dueIn: 60_000 }],
    outbox: [{ service: "s", id: `message-${n}`, topic: "t", message: n, dueIn: 60_000 }],
  });
  if (outcome !== "ok") throw new Error(`Change ${n} was answered ${outcome}.`);
  version = commit;
  // Writes the number synchronously, not by the event loop. So the store has acknowledged every number that the test reads.
  writeSync(1, `${n}\n`);
}
