export { type AmqpPolicy, amqpPolicies } from "./amqp/policies.ts";
export { amqpTopology } from "./amqp/topology.ts";
export { type BrokerSetup, brokerSetup } from "./broker-setup.ts";
export { type BrokerRights, brokerRights, type BusLogin } from "./bus-rights.ts";
export { connectBus, type ConnectBusOptions } from "./connect-bus.ts";
export { consumeQueue, type DeliveryContext, type Verdict } from "./consume-pipeline.ts";
export { deadLetterMessage } from "./dead-letter.ts";
export { listenTo } from "./listen-pipeline.ts";
export type { LocalToolset, LocalToolsets } from "./local-toolsets.ts";
export { type MemoryBus, memoryBus, type MemoryBusOptions } from "./memory/memory-bus.ts";
export {
  BUS_IS_CLOSED,
  BusUnavailable,
  type Delivery,
  type DeliveryHandler,
  type Disposition,
  type MessageBus,
  NotPermitted,
  RETRY_AFTER_THROW_MS,
  type Subscription,
  Unroutable,
} from "./message-bus.ts";
export { natsRights } from "./nats/rights.ts";
export { faultFields, loggedId } from "./pipeline-log.ts";
export { type Place, places, type Places } from "./places.ts";
export { reachBroker } from "./reach-broker.ts";
export type { Unusable } from "./unusable-messages.ts";
