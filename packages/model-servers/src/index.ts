export { chatBrain } from "./brains/chat-brain.ts";
export { investigationBrain } from "./brains/investigation-brain.ts";
export {
  type Answered,
  type Asked,
  type AskedMessage,
  type Brain,
  type Fault,
  type ModelServer,
  SERVED,
  type Served,
} from "./model-server.ts";
export { startModelServer } from "./start-model-server.ts";
