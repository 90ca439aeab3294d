import { connectBus, type MessageBus } from "@toolbus/bus";
import { isJsonObject, type Json, topics } from "@toolbus/contracts";
import { drawnRandom, generateSigningKey, publicKeySet, signerOf, staticKeySet } from "@toolbus/grants";
import { tracedBus } from "@toolbus/runtime";
import { connectState } from "@toolbus/state";
import { silentLog } from "@toolbus/telemetry";
import { startWorker } from "@toolbus/tool-kit";
import { CALL_CLIENT, callClient } from "../embedded/call-client.ts";
import { executorOf, noopTools, TOOLSET } from "../embedded/noop-tools.ts";
import { withOption } from "../server-urls.ts";
import { type BrokerKind, type Driver, type Place, PREFETCH } from "./driver.ts";

const clock = (): number => Date.now();
const monotonic = (): number => performance.now();
const SHARDS = 16;
const TOPICS = [topics.invoke(TOOLSET), topics.result(CALL_CLIENT)];

/**
 * Makes a read through Toolbus. The agent's side sends the invoke with all its attributes. The real worker runs its whole pipeline. The agent's side
 * then matches the result to the call by the call id and the call's secret.
 */
export function toolbusDriver(kind: BrokerKind): Driver {
  return {
    async answer(place) {
      const bus = await open(kind, place, "worker");
      // The registry of the tools is in this store. A read does not use the store.
      const state = await connectState("memory:", { clock });
      const worker = await startWorker({
        toolset: noopTools(),
        bus,
        state,
        keys: staticKeySet(publicKeySet([await generateSigningKey()])),
        signer: await signerOf(await generateSigningKey()),
        log: silentLog,
        clock,
        monotonic,
        random: drawnRandom(),
        concurrency: PREFETCH,
      });
      return {
        async stop() {
          await worker.stop();
          await bus.close();
          await state.close();
        },
      };
    },

    async open(place) {
      const bus = await open(kind, place, "agent");
      const client = await callClient({ bus, shards: SHARDS, clock, concurrency: PREFETCH });
      const look = executorOf(noopTools(), "look");
      return {
        async call(args) {
          const { content } = await client.call(look, args);
          const result: Json = JSON.parse(content);
          if (!isJsonObject(result)) throw new Error("a call of the benchmark gave no object");
          return result;
        },
        stop: () => bus.close(),
      };
    },

    async remove(place) {
      const { removeBus } = await import("./remove-bus.ts");
      await removeBus(kind, place, TOPICS);
    },
  };
}

/** Opens the bus as `runServices` does. */
async function open(kind: BrokerKind, { url, namespace }: Place, service: string): Promise<MessageBus> {
  const bus = await connectBus(withOption(url, "namespace", namespace), { clock });
  return tracedBus(bus, { service, system: kind, clock, monotonic });
}
