export { type AnswerAccepted, answerQuestion } from "./inbound/answer-question.ts";
export { type CancelAccepted, cancelRun } from "./inbound/cancel-run.ts";
export { type ConversationCreated, createConversation } from "./inbound/create-conversation.ts";
export type { Request, Starting } from "./inbound/inbound.ts";
export { type MessageAccepted, sendMessage } from "./inbound/send-message.ts";
export { startInvestigation } from "./inbound/start-investigation.ts";
export type { Refused } from "./refused.ts";
export { gateway, type GatewayCore, startGatewayCore } from "./service.ts";
export { type GatewayConfig, gatewaySettings } from "./settings.ts";
