import type { MessageBus } from "../message-bus.ts";
import type { BusCase, Refuse } from "./bus-case.ts";

export type OpenBus = (context: { readonly namespace: string; readonly drainMs: number }) => Promise<MessageBus>;

/** The same function as `Refuse`, with a namespace. */
export type RefuseIn = (where: { readonly namespace: string } & Parameters<Refuse>[0]) => ReturnType<Refuse>;

/** Runs one case in its own namespace and closes all buses that it opened, even if the case fails. */
export async function runCase(
  busCase: BusCase,
  options: { readonly open: OpenBus; readonly refuse?: RefuseIn | undefined; readonly namespace: string; readonly patienceMs: number },
): Promise<void> {
  const { open, refuse: refuseIn = nothing, namespace, patienceMs } = options;
  const opened: MessageBus[] = [];
  const connect = async (): Promise<MessageBus> => {
    const bus = await open({ namespace, drainMs: DRAIN_MS });
    opened.push(bus);
    return bus;
  };
  try {
    await busCase.run({ bus: await connect(), connect, refuse: (what) => refuseIn({ namespace, ...what }), drainMs: DRAIN_MS, patienceMs });
  } finally {
    await Promise.all(opened.map((bus) => bus.close()));
  }
}

async function nothing(): Promise<never> {
  throw new Error("This bus was given no way to refuse anything.");
}

// The drain time is short, because a case with a handler that never ends waits until this time is over. It is long enough for handlers that end when
// their signal aborts.
const DRAIN_MS = 300;
