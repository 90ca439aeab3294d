export { cancelRun } from "./inbound/cancel-run.ts";
export { createConversation } from "./inbound/create-conversation.ts";
export { sendFirstMessage } from "./inbound/first-message.ts";
export type { Starting } from "./inbound/inbound.ts";
export { sendMessage } from "./inbound/send-message.ts";
export { type RecordReader, runRecord } from "./record/run-record.ts";
export { gateway, startGatewayCore } from "./service.ts";
export { type GatewayConfig, gatewaySettings } from "./settings.ts";
