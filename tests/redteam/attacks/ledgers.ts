import { type Json, type JsonObject, keys } from "@toolbus/contracts";
import type { Arena } from "../arena.ts";
import { type Attack, held, reached, residual, server, service, serverOr } from "../attack.ts";
import { granted, invokeOf } from "./calls.ts";
import { textIn } from "../text-in.ts";

const FORGED = service("ledger_forged", /"reason":"ledger_forged"/);

/** Attacks on the data from which a worker knows whether it has already sent a write. */
export const ledgers: readonly Attack[] = [
  {
    name: "the ledger says that another payment was being sent when the worker died",
    attacker: "agent",
    expected: serverOr(FORGED),
    async run(arena) {
      // The target does not receive the first attempt, so it cannot recognise the second attempt by its key.
      const answer = arena.system.target.pause("deaf");
      const write = await arena.held("keyed", { payee: "BAKERY", amount: 81 });
      const { callId } = write;
      const key = keys.ledger("payments", callId);
      try {
        const before = arena.system.target.missed();
        await arena.decide(write, "approve");
        await arena.until("the write to be sent", () => (arena.system.target.missed() > before ? true : null));
        const worker = arena.system.apart.replicas().find(({ service: name }) => name === "tool-executor");
        await worker?.process.kill();
        const row = await arena.stored(key);
        await arena.as("agent").overwrite(key, { ...row, prepared: { value: { payee: "EVE", amount: 9000 } } });
      } finally {
        answer();
        await arena.system.apart.restart("tool-executor", 1);
      }
      await arena.ended(write.runId);
      const eve = arena.system.target.journal().filter(({ payee }) => payee === "EVE");
      return eve.length > 0 ? reached(`it was sent: ${JSON.stringify(eve)}`) : held("nothing else was sent", callId);
    },
  },
  {
    name: "the ledger says that a write is done, before anybody approved it",
    attacker: "agent",
    expected: serverOr(FORGED),
    async run(arena) {
      const write = await arena.held("high", { payee: "BAKERY", amount: 82 });
      const { toolHash, argsHash } = await arena.stored(keys.call(write.callId));
      const key = keys.ledger("payments", write.callId);
      const row: JsonObject = {
        callId: write.callId,
        toolName: write.tool,
        toolHash: toolHash ?? "",
        argsHash: argsHash ?? "",
        state: "done",
        fence: 1,
        lease: null,
        jti: write.approvalId,
        beganAt: Date.now(),
        doneAt: Date.now(),
        result: { status: "ok", isError: false, content: '{"sent":0}' },
      };
      await arena.as("agent").overwrite(key, row);
      await arena.decide(write, "approve");
      await arena.until("the worker to look at the row", () => (lineOf(arena, write.callId, /ledger_forged/) ? true : null));
      const ran = arena.system.target.journal().some(({ callId }) => callId === write.callId);
      const events = await arena.events(write.runId);
      // When the row is removed, the approved write may be executed.
      await arena.eye.putBack(key, null);
      return ran || events.some(({ type }) => type === "call.resolved")
        ? reached("the row was believed")
        : held("the call stays open, and nothing was sent", write.callId);
    },
  },
  {
    name: "the ledger row of a write is removed, and its genuine grant is sent again",
    attacker: "agent",
    expected: serverOr(service("ledger_row_gone", /"reason":"ledger_row_gone"/)),
    run: (arena) => again(arena, { anew: false, row: () => null }),
  },
  {
    name: "the ledger row of a write is removed while its worker starts anew, and its genuine grant is sent again",
    attacker: "agent",
    expected: { own: server, shared: residual("R1") },
    run: (arena) => again(arena, { anew: true, row: () => null, number: "R1" }),
  },
  {
    name: "the row of a write that was done is put back as begun while its worker starts anew",
    attacker: "agent",
    expected: { own: server, shared: residual("R2") },
    run: (arena) =>
      again(arena, {
        anew: true,
        row: ({ result: _, receipt: __, doneAt: ___, ...row }) => ({ ...row, state: "begun", lease: null }),
        number: "R2",
      }),
  },
  {
    name: "a ledger row is changed by another toolset's worker",
    attacker: "neighbour",
    expected: serverOr(FORGED),
    async run(arena) {
      const underWay = await arena.underWay("high", { payee: "BAKERY", amount: 83 });
      await underWay.finish();
      const { callId } = underWay.write;
      const key = keys.ledger("payments", callId);
      const before = await arena.eye.text(key);
      await arena
        .as("neighbour")
        .overwrite(key, { ...(await arena.stored(key)), result: { status: "ok", isError: false, content: '{"sent":0}' } });
      await arena.as("agent").publish(granted(invokeOf(underWay.call, callId), textIn(underWay.call["grant"])));
      await arena.until("the worker to look at the row", () => (lineOf(arena, callId, /ledger_forged/) ? true : null));
      await arena.eye.putBack(key, before);
      return held("the row answered nothing", callId);
    },
  },
];

interface Again {
  /** Whether the worker's process is restarted before the genuine call is sent again. */
  readonly anew: boolean;
  /** Returns the new content of the row. Null removes the row. */
  readonly row: (done: JsonObject) => JsonObject | null;
  readonly number?: string;
}

/** Completes a write on a target that remembers no keys. Then changes the write's ledger row and sends the genuine call once more. */
async function again(arena: Arena, { anew, row, number }: Again) {
  const underWay = await arena.underWay("high", { payee: "BAKERY", amount: 84 });
  await underWay.finish();
  const { callId } = underWay.write;
  const key = keys.ledger("payments", callId);
  const changed = row(await arena.stored(key));
  await (changed === null ? arena.as("agent").putBack(key, null) : arena.as("agent").overwrite(key, changed as Json));
  if (anew) await arena.system.apart.restart("tool-executor", 1);
  await arena.as("agent").publish(granted(invokeOf(underWay.call, callId), textIn(underWay.call["grant"])));
  const count = (): number => arena.system.target.journal().filter((effect) => effect.callId === callId).length;
  await arena.until("what the worker makes of it", () => (count() > 1 || lineOf(arena, callId, /ledger_row_gone/) ? true : null));
  return count() > 1 ? reached(`it happened ${count()} times`, number) : held("it happened once", callId);
}

function lineOf(arena: Arena, callId: string, words: RegExp): boolean {
  return arena.system.lines().some((line) => line.includes(callId) && words.test(line));
}
