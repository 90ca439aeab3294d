export * from "./brains/chat-brain.ts";
export * from "./brains/investigation-brain.ts";
export * from "./model-server.ts";
export * from "./start-model-server.ts";
