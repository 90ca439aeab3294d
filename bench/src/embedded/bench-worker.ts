import { memoryBus, type MessageBus } from "@toolbus/bus";
import { drawnRandom, generateSigningKey, publicKeySet, type Signer, signerOf, staticKeySet } from "@toolbus/grants";
import { connectState } from "@toolbus/state";
import { silentLog } from "@toolbus/telemetry";
import { startWorker, type Toolset } from "@toolbus/tool-kit";
import { type CallClient, callClient } from "./call-client.ts";
import { noopTools } from "./noop-tools.ts";

export interface BenchWorker {
  readonly client: CallClient;
  readonly tools: Toolset;
  /** Signs grants that the worker accepts. */
  readonly approvals: Signer;
  stop(): Promise<void>;
}

/**
 * Starts a real worker with the tools that do nothing. The worker uses the in-memory bus and this store. Also opens a client that calls the worker.
 */
export async function benchWorker(stateUrl: string, wrapBus: (bus: MessageBus) => MessageBus = (bus) => bus): Promise<BenchWorker> {
  const clock = (): number => Date.now();
  const state = await connectState(stateUrl, { clock });
  const bus = wrapBus(memoryBus({ clock }));
  const approvalsKey = await generateSigningKey();
  const tools = noopTools();
  const worker = await startWorker({
    toolset: tools,
    bus,
    state,
    keys: staticKeySet(publicKeySet([approvalsKey])),
    signer: await signerOf(await generateSigningKey()),
    log: silentLog,
    clock,
    monotonic: () => performance.now(),
    random: drawnRandom(),
  });
  return {
    client: await callClient({ bus, shards: state.shards, clock }),
    tools,
    approvals: await signerOf(approvalsKey),
    async stop() {
      await worker.stop();
      await bus.close();
      await state.close();
    },
  };
}
